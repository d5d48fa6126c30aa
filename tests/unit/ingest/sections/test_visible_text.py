"""The fast reader of visible text beside expected texts."""

import pytest

from ingest.sections.markup import Markup
from ingest.sections.visible_text import NotOrdinaryError, VisibleText

GAPS = {b"td": "\t", b"p": "\n", b"br": "\n"}


def text(markup: str, limit: int = 1_000) -> str:
    raw = markup.encode()
    return VisibleText(raw, GAPS).after(0, limit, len(raw)).strip()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>Item&nbsp;1.</p><p>Business</p>", "Item 1.\nBusiness"),
        ("<P STYLE='x'>Item 1.<BR>\n  Business", "Item 1.\nBusiness"),
        ("<td>Item\r\n\t1.</td> <td>&#160;Business</td>", "Item 1.\tBusiness"),
        ("I<b>tem</b> <i>1</i> <font> A", "Item 1 A"),
        ("<p>one <td> <p> <td>two", "one\ntwo"),
        ("A&amp;B &#8217;s &emsp; &unknown; &", "A&B ’s &unknown; &"),
        ("<!-- note --><p>seen", "seen"),
        ("a\x01b\x02c", "a b c"),
        ("caf\u00e9\u00a0au lait", "caf\u00e9\u00a0au lait"),
    ],
)
def test_text(markup: str, expected: str) -> None:
    assert text(markup) == expected


@pytest.mark.parametrize("markup", ["<p>a < b</p>", "<p>a > b</p>", "a < 5 and b > 6", "<p>cut <b"])
def test_brackets_that_may_be_no_tags_are_not_read(markup: str) -> None:
    with pytest.raises(NotOrdinaryError):
        text(markup)


def test_stretches_join_as_if_read_at_once() -> None:
    markup = "".join(f"<p>w{n} <b>x</b> y<td> {'<i></i>' * 40}" for n in range(500))
    whole = text(markup, limit=100_000)
    assert whole.startswith("w0 x y\nw1 x y\n")
    for limit in (1, 50, 700, 3_000):
        part = text(markup, limit)
        assert whole.startswith(part)
        assert limit - 2 <= len(part)  # white space at both ends does not count


def test_text_ends_where_it_has_to() -> None:
    raw = b"<p>Item 1.</p><p>Item 2.</p>"
    assert VisibleText(raw, GAPS).after(0, 100, raw.index(b"<p>Item 2")).strip() == "Item 1."


@pytest.mark.parametrize(
    ("content", "longer"), [("x" * 2_000, True), ("x " * 900, False), ("&rsquo;" * 900, False)]
)
def test_a_stretch_is_longer_only_where_that_is_sure(content: str, longer: bool) -> None:
    raw = f"<p>{content}</p>".encode()
    assert VisibleText(raw, GAPS).is_longer(0, 1_000, len(raw)) is longer


def test_what_is_not_ordinary_is_read_token_by_token() -> None:
    raw = b"<html><p>Item 1. A < B</p><p>Next"
    assert Markup(raw).after(6, 100) == "Item 1. A < B\nNext"
