"""A cut out of a document as HTML that stands alone."""

import random
import time

from resiliparse.extract.html2text import extract_plain_text

from edgar_search.edgar.document import section_content

HEAD = b"<html><body>"


def content(cut: bytes) -> str:
    return section_content(HEAD + cut, len(HEAD), len(HEAD) + len(cut))


def test_elements_that_the_cut_left_open_are_closed() -> None:
    assert content(b"<p>Item 1. <b>Business</p>") == "<p>Item 1. <b>Business</b></p>"


def test_end_tags_without_a_beginning_are_left_out() -> None:
    assert content(b"<p>None.</p></div></div>") == "<p>None.</p>"


def test_what_is_well_formed_stays_as_filed() -> None:
    cut = b'<p style="margin:0">Item 3. <ix:nonnumeric>Claims &amp; suits</ix:nonnumeric></p>'
    assert content(cut) == cut.decode()


def test_only_the_cut_is_there() -> None:
    body = b"<html><body><p>before</p><p>Item 4</p><p>after</p></body></html>"
    start = body.index(b"<p>Item 4")
    assert section_content(body, start, body.index(b"<p>after")) == "<p>Item 4</p>"


def test_rows_and_cells_of_a_table_that_begins_earlier_are_kept() -> None:
    row = "<tr><td>Item 2.</td><td>Properties</td></tr>"
    assert content(f"{row}</table>".encode()) == f"<table><tbody>{row}</tbody></table>"


def test_cut_inside_a_cell_keeps_the_cells_apart() -> None:
    text = extract_plain_text(content(b"Item 2.</td><td>Properties</td></tr></table>"))
    assert text.split() == ["Item", "2.", "Properties"]


def test_plain_text_is_escaped_and_loses_the_tags_of_edgar() -> None:
    body = b"ITEM 1. BUSINESS\n<PAGE>\nP&L < 0\nITEM 2."
    assert section_content(body, 0, body.index(b"ITEM 2")) == (
        "<pre>ITEM 1. BUSINESS\n \nP&amp;L &lt; 0\n</pre>"
    )


def test_bytes_that_are_no_utf_8_are_windows_1252() -> None:
    assert content(b"<p>Nestl\xe9\x92s</p>") == "<p>Nestlé\u2019s</p>"


def test_no_bytes_raise() -> None:
    chance = random.Random(5)
    for _ in range(300):
        body = bytes(chance.choices(b"<>/abtrdp =\"'&;!-\xff\n\0", k=80))
        start, end = sorted(chance.choices(range(-5, 90), k=2))
        assert isinstance(section_content(HEAD * chance.randrange(2) + body, start, end), str)


def test_deep_nesting_takes_bounded_time() -> None:
    began = time.process_time()
    content(b"<div><p>" * 100_000)
    assert time.process_time() - began < 10
