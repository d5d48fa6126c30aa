"""Parts of documents as filed, for a viewer."""

import re
from pathlib import Path

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import laid_out_html, searched_kind
from edgar_search.text.filed_parts import FiledPart, html_parts, plain_parts, without_depth
from edgar_search.text.versions import DocumentKind
from tests.fidelity.words import searched_documents

_EVERY = 60


def cut(body: str, size: int = 20) -> list[tuple[str, str]]:
    """Return the parts of HTML: what is open at the start of each, and the part itself."""
    filed = body.encode()
    return [
        (part.opening.decode(), filed[part.start : part.end].decode())
        for part in html_parts(filed, size)
    ]


def test_html_is_cut_before_blocks_and_what_is_open_is_opened_again() -> None:
    body = "<body bgcolor=red><div class=a><font size=2><p>one two three</p><p>four five"
    assert cut(body) == [
        ("", "<body bgcolor=red><div class=a><font size=2>"),
        ("<div bgcolor=red><div class=a><font size=2>", "<p>one two three</p>"),
        ("<div bgcolor=red><div class=a><font size=2>", "<p>four five"),
    ]


@pytest.mark.parametrize(
    "whole",
    [
        f"<table>{'<tr><td><p>1</p><table><tr><td>2</table>' * 20}</table>",
        f"<table>{'<tr><td>never closed' * 20}",
        f"<!-- {'<p>' * 20} -->",
        f"<ix:header>{'<p>' * 20}</ix:header>",
        "word" * 20,
    ],
    ids=["tables", "open table", "comment", "contexts", "word"],
)
def test_nothing_is_cut_amid_a_table_a_comment_or_a_word(whole: str) -> None:
    parts = [part for _, part in cut(f"<p>before it is a part</p>{whole}")]
    assert parts[-1].endswith(whole)


def test_line_breaks_and_lines_are_cut_if_there_is_nothing_better() -> None:
    assert [part.count("<br>") for _, part in cut("one two three four<br>" * 4)] == [1, 2, 1]
    lines = [part for _, part in cut("<pre>" + "one two three four five\n" * 4 + "</pre>")]
    assert [part.count("five\n") for part in lines] == [1, 1, 1, 1, 0]


def test_plain_text_is_cut_at_lines_that_are_in_no_table() -> None:
    table = b"<TABLE>\n" + b"<S> <C>\nfigures 1 2 3\n" * 10 + b"</TABLE>"
    body = b"a line before\n" + table + b"\nlast line of words"
    parts = [body[part.start : part.end] for part in plain_parts(body, 20)]
    assert parts[0].endswith(b"</TABLE>\n") or parts[0].endswith(b"</TABLE>")
    assert b"".join(parts) == body
    assert [part for part in parts if b"<S>" in part] == [parts[0]]


def test_text_without_lines_is_cut_behind_tags_and_words() -> None:
    body = b"<a>1</a>" * 20
    assert all(
        body[: part.end].endswith((b">", b"1")) and part.end - part.start <= 30
        for part in plain_parts(body, 20)
    )


@pytest.mark.parametrize("size", [2_000, 60_000])
def test_parts_of_filed_documents_are_all_of_it_and_cut_no_word(corpus: Path, size: int) -> None:
    for _, document in list(searched_documents(corpus))[::_EVERY]:
        kind, body = searched_kind(document), document.body
        parts = (html_parts if kind is DocumentKind.HTML else plain_parts)(body, size)
        assert parts[0].start == 0 and parts[-1].end == len(body)
        assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
        if kind is DocumentKind.HTML:
            whole = words_of(body)
            assert [word for part in parts for word in words_of(seen(body, part))] == whole


def seen(body: bytes, part: FiledPart) -> bytes:
    return part.opening + body[part.start : part.end]


def words_of(body: bytes) -> list[str]:
    return re.findall(r"\w+", laid_out_html(decode_bytes(body)))


def test_elements_deep_in_others_lose_their_tags_and_nothing_else_does() -> None:
    deep = without_depth(b"<div>" * 100_000 + b"moss" + b"</div>" * 100_000)
    assert (deep.count(b"<div>"), deep.count(b"moss")) == (400, 1)
    bold = without_depth(b"".join(b"<b id=%d>" % each for each in range(100_000)) + b"<p>moss" * 9)
    assert (bold.count(b"<b"), bold.count(b"moss")) == (60, 9)
    ordinary = b"<div><p>a<p>b<table><tr><td>1<td>2</table></div><br><font size=1>c</font>" * 300
    assert without_depth(ordinary) == ordinary
