"""Documents that are made to be slow: twice as large, they take about twice as long."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.reading.prepare import PreparedSubmission, Task, prepare
from ingest.reading.text.markup_text import html_text
from ingest.reading.text.stripped_html import is_costly
from ingest.sources.source import Source
from tests.support.adversarial import documents, submission

SIZE = 30_000
RUNS = 2
# Time that grows with the square would be 4; what is over at once is too short to be measured.
MOST_GROWTH, SHORT = 2.9, 0.1
DOCUMENTS = documents()


def seconds(path: Path, file_name: str, body: str, form_type: str) -> float:
    """The least CPU time of some runs, as a busy machine adds to it."""
    path.write_bytes(submission(form_type, file_name, body))
    task = Task(Source.of(path), [], "test-", "none", 20_000_000, None)
    taken = []
    for _ in range(RUNS):
        began = time.process_time()
        outcome = prepare(task)
        taken.append(time.process_time() - began)
        assert isinstance(outcome, PreparedSubmission)
        assert outcome.unread == {}
        if taken[-1] < SHORT:
            break
    return min(taken)


# Of a current report only items and exhibits are looked for otherwise.
CASES = [("10-K", kind) for kind in DOCUMENTS] + [
    ("8-K", kind) for kind in DOCUMENTS if "item" in kind or "exhibit" in kind
]


@pytest.mark.parametrize(("form_type", "kind"), CASES)
def test_time_grows_with_the_size_of_the_document(
    tmp_path: Path, form_type: str, kind: str
) -> None:
    file_name, make = DOCUMENTS[kind]
    twice = seconds(tmp_path / "twice.txt", file_name, make(2 * SIZE), form_type)
    if twice > SHORT:
        once = seconds(tmp_path / "once.txt", file_name, make(SIZE), form_type)
        assert twice < MOST_GROWTH * once


COSTLY: dict[str, Callable[[], str]] = {
    "formatting": lambda: "".join(f"<p><font size={n}>word{n} </p>" for n in range(3_000)),
    "elements": lambda: "".join(f"<span>word{n} " for n in range(30_000)),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_html_that_is_too_costly_for_a_tree_has_its_words_in_order(kind: str) -> None:
    html = (
        "<html><title>T</title><pre>first</pre><script>no</script><!-- no -->&amp;&eacute; "
        + COSTLY[kind]()
    )
    assert is_costly(html)
    words = html_text(html).split()
    assert words == ["first", "&\xe9", *(f"word{n}" for n in range(len(words) - 2))]


def test_ordinary_markup_is_not_too_costly_for_a_tree() -> None:
    row = "<tr><td><font size=2><b>Moss<td><i>7</i></b></font>"
    assert not is_costly("<html><pre></pre><table>" + row * 20_000 + "</table>")
    assert not is_costly("<html>" + "<center><font size=2>Moss<br><p>" * 500)
