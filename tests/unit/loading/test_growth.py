"""Documents that are made to be slow: twice as large, they take about twice as long."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from edgar_search.text.html import html_text
from edgar_search.text.unclosed_html import is_costly
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.sources.source import Source
from tests.support.adversarial import documents, submission

SIZE = 30_000
# Time that grows with the square would be 4; what is over at once is too short to be measured.
MOST_GROWTH, SHORT = 2.9, 0.1
# A busy machine adds to CPU time too, now to the one and now to the other.
TRIES = 4
DOCUMENTS = documents()


def seconds(path: Path, file_name: str, body: str, form_type: str) -> float:
    """Return the CPU time of reading a submission with this document."""
    path.write_bytes(submission(form_type, file_name, body))
    task = Task(Source.of(path), [], "test-", "none", 20_000_000, None)
    began = time.process_time()
    outcome = prepare(task)
    taken = time.process_time() - began
    assert isinstance(outcome, PreparedSubmission)
    assert outcome.unread == {}
    return taken


# Of a current report only items and exhibits are looked for otherwise.
CASES = [("10-K", kind) for kind in DOCUMENTS] + [
    ("8-K", kind) for kind in DOCUMENTS if "item" in kind or "exhibit" in kind
]


@pytest.mark.parametrize(("form_type", "kind"), CASES)
def test_time_grows_with_the_size_of_the_document(
    tmp_path: Path, form_type: str, kind: str
) -> None:
    file_name, make = DOCUMENTS[kind]
    bodies = make(SIZE), make(2 * SIZE)
    found = []
    for _ in range(TRIES):
        once, twice = (seconds(tmp_path / "one.txt", file_name, body, form_type) for body in bodies)
        if twice <= SHORT or twice < MOST_GROWTH * once:
            return
        found.append((once, twice))
    pytest.fail(f"seconds once and twice as large: {found}")


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
