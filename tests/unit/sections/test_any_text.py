"""Sections of whatever comes: in order, inside the document, and in bounded time."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reading.sections import find_sections

PIECES = [
    *(f"Item {number}. " for number in range(1, 17)),
    *("Business ", "Risk Factors ", "Properties ", "Legal Proceedings ", "Exhibits "),
    *("Financial Statements ", "Management's Discussion ", "PART I ", "PART II ", "1A. "),
    *("SIGNATURES ", "Pursuant to the requirements of the Securities Act ", "(continued) "),
    *("\n", "\n\n", "\t", "\t\t", "  ", " 12 ", "\xa0", "\u200b", "\0", "\u0130", "i", "tem ", "."),
]
SIZE = 20_000_000  # bytes
LARGE = 5_000_000  # bytes, if each piece of memory is counted, which takes time
KEPT = 15_000_000  # bytes that headings take, however many a document has
LIMIT = 30.0  # seconds for that size; more only if they grow with the size alone


@given(
    st.sampled_from(["10-K", "10-Q"]),
    st.one_of(st.text(max_size=400), st.lists(st.sampled_from(PIECES)).map("".join)),
    st.booleans(),
)
def test_sections_are_in_order_inside_the_text(form_type: str, text: str, is_plain: bool) -> None:
    sections = find_sections(form_type, text, is_plain=is_plain)
    edges = [edge for section in sections for edge in (section.start, section.end)]
    assert edges == sorted(edges)
    assert all(section.start < section.end for section in sections)
    assert not edges or (edges[0] >= 0 and edges[-1] <= len(text))
    assert len({section.item for section in sections}) == len(sections)


@pytest.mark.parametrize("is_plain", [True, False])
@pytest.mark.parametrize(
    "piece",
    [
        "Item 1. Business\n",
        "Item 2. Properties ____ . . . ... \n",
        "item",
        "\titem 1",
        "part \n",
        "\nPART II",
        "\npart i item i item ",
        "".join(f"Item {number}. x\n" for number in range(1, 17)),
        "\nitem 1 of ",
        "\nItem X. Executive Officers\nItem 15. Exhibits and Item 16. Summary\nPower of Attorney"
        "\nManagement's Discussion and Analysis\nTable of Contents",
        "\nItem 1. Business" + "x" * 15_000,
        "\n" + " " * 3_000 + "item 1",
        "\t" * 3_000 + "item 1",
        "\nSignatures\nPursuant to the requirements of Section 13\nExhibit Index\nItem 15. ",
    ],
)
@pytest.mark.parametrize("size", [SIZE // 16, pytest.param(SIZE, marks=pytest.mark.long)])
def test_time_is_bounded(piece: str, is_plain: bool, size: int) -> None:
    took = seconds(piece * (size // len(piece)), is_plain)
    # A busy machine takes more of its processor for the same work, except for all of it alike.
    assert took < LIMIT * size / SIZE or took < 8 * seconds(
        piece * (size // len(piece) // 4), is_plain
    )


def seconds(text: str, is_plain: bool) -> float:
    """Return the seconds of a processor that it takes to find the sections of an annual report."""
    began = time.process_time()
    find_sections("10-K", text, is_plain=is_plain)
    return time.process_time() - began


@pytest.mark.parametrize("size", [LARGE // 2, pytest.param(LARGE, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "piece",
    ["x", "word ", "\nItem 1. Business ", "item "],
    ids=["endless word", "endless line", "headings", "words"],
)
def test_memory_is_little_beside_the_text(piece: str, size: int) -> None:
    text = "\nItem 1. Business" + piece * (size // len(piece))
    tracemalloc.start()
    find_sections("10-K", text, is_plain=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < KEPT
