"""Sections of whatever comes: in order, inside the document, and in bounded time."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reading.sections import find_sections

PIECES = [
    *(b"Item %d. " % number for number in range(1, 17)),
    *(b"Business ", b"Risk Factors ", b"Properties ", b"Legal Proceedings ", b"Exhibits "),
    *(b"Financial Statements ", b"Management's Discussion ", b"PART I ", b"PART II ", b"1A. "),
    *(b"SIGNATURES ", b"Pursuant to the requirements of the Securities Act ", b"(continued) "),
    *(b"<p>", b"</p>", b"<td>", b"<pre>", b"</pre>", b"<br>", b"<!--", b"-->", b"<b", b">", b"&"),
    *(b"<html>", b"\n", b"\r\n", b" 12 ", b"&nbsp;", b"\xa0", b"\xff", b"\0", b"i", b"tem ", b"."),
]
SIZE = 20_000_000  # bytes
LARGE = 5_000_000  # bytes, if each piece of memory is counted, which takes time
KEPT = 15_000_000  # bytes that headings take, however many a document has
LIMIT = 30.0  # seconds, on a machine that does other things as well
LEAST = 3.0  # seconds: very many headings take one or two in a document of any size


@given(
    st.sampled_from(["10-K", "10-Q"]),
    st.one_of(st.binary(max_size=400), st.lists(st.sampled_from(PIECES)).map(b"".join)),
)
def test_sections_are_in_order_inside_the_document(form_type: str, raw: bytes) -> None:
    sections = find_sections(form_type, raw)
    edges = [edge for section in sections for edge in (section.start, section.end)]
    assert edges == sorted(edges)
    assert all(section.start < section.end for section in sections)
    assert not edges or (edges[0] >= 0 and edges[-1] <= len(raw))
    assert len({section.item for section in sections}) == len(sections)


@pytest.mark.parametrize("head", [b"", b"<html>"])
@pytest.mark.parametrize(
    "piece",
    [
        b"Item 1. Business\n",
        b"<p>Item 1. Business</p>",
        b"Item 2. Properties ____ . . . ... \n",
        b"<b>item",
        b"<b>i</b>tem 1. ",
        b"&nbsp;item 1",
        b"part ",
        b"PART II\n",
        b"<",
        b"> ",
        b"<!-- item 1 ",
        b"<pre>\nItem 1A. Risk Factors\n</pre>",
        b"".join(b"<p>Item %d. x</p>" % number for number in range(1, 17)),
        b" item",
        b"<p>item 1 of ",
        b"<p>Item X. Executive Officers<p>Item 15. Exhibits and Item 16. Summary"
        b"<p>Power of Attorney<p>Management's Discussion and Analysis<p>Table of Contents",
        b"<p>i<b>tem 1",
        b"<p>Item 1. Business" + b"x" * 15_000,
        b"<p>" + b" " * 3_000 + b"item 1",
        b"<td item='1' part='i' ",
        b"<p>Signatures<p>Pursuant to the requirements of Section 13<p>Exhibit Index<p>Item 15. ",
    ],
)
@pytest.mark.parametrize("size", [SIZE // 32, pytest.param(SIZE, marks=pytest.mark.long)])
def test_time_is_bounded(piece: bytes, head: bytes, size: int) -> None:
    raw = head + piece * (size // len(piece))
    began = time.process_time()
    find_sections("10-K", raw)
    assert time.process_time() - began < max(LEAST, LIMIT * size / SIZE)


@pytest.mark.parametrize("size", [LARGE // 2, pytest.param(LARGE, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("head", "piece", "tail"),
    [
        (b"<p>Item 1. Business", b"x", b""),
        (b"<html><p>Item 1. Business ", b"word ", b""),
        (b"<p>Item 1. Business <b ", b"x ", b"><p>Item 2. Properties"),
        (b"", b"<p>Item 1. Business </p>", b""),
        (b"", b"item ", b""),
    ],
    ids=["endless word", "endless line", "endless tag", "headings", "words"],
)
def test_memory_is_little_more_than_the_document(
    head: bytes, piece: bytes, tail: bytes, size: int
) -> None:
    raw = head + piece * (size // len(piece)) + tail
    tracemalloc.start()
    find_sections("10-K", raw)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < size + KEPT
