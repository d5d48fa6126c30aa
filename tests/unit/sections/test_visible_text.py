"""The fast reader of visible text beside expected texts."""

import random
import re

import pytest

from edgar_search.text.html_tags import NotOrdinaryError
from ingest.reading.sections.markup import Markup
from ingest.reading.sections.visible_text import VisibleText, collapsed

SEED = 20_262

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
    ("content", "expected"),
    [
        ("x" * 2_000, None),
        ("x " * 900, ("x " * 900).rstrip()),
        ("&rsquo;" * 900, "\u2019" * 900),
        ("x&nbsp; \n" * 700, ("x " * 700).rstrip()),
    ],
)
def test_a_stretch_is_left_out_only_where_it_is_surely_long(
    content: str, expected: str | None
) -> None:
    raw = f"<p>{content}</p>".encode()
    found = VisibleText(raw, GAPS).between(0, len(raw), 1_000)
    assert (found if found is None else found.strip()) == expected


def test_what_was_read_before_changes_nothing() -> None:
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    pieces = [
        " ",
        "\n",
        "w",
        "<p>",
        "</p>",
        "<td>",
        "<b>",
        "&nbsp;",
        "&#8217;",
        "<br/>",
        "long " * 99,
    ]
    for _ in range(20):
        raw = "".join(chance.choices(pieces, k=2_000)).encode()
        tags = [at for at in range(len(raw)) if raw[at : at + 1] == b"<"]
        one = VisibleText(raw, GAPS)
        for at in chance.choices(tags, k=30):
            limit, stop = chance.choice([10, 300, 2_500]), chance.choice([len(raw), *tags])
            assert one.after(at, limit, stop) == VisibleText(raw, GAPS).after(at, limit, stop)


def test_separators_collapse_to_the_strongest() -> None:
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    for _ in range(5_000):
        text = "".join(chance.choices("ab \t\n", k=chance.randrange(12)))
        expected = re.sub(r"[ \t\n]{2,}", lambda run: max(run[0], key=" \t\n".index), text)
        assert collapsed(text) == expected, text


def test_a_text_without_end_is_not_read_as_a_whole() -> None:
    raw = b"<p>Item 1. " + b"word " * 10_000
    with pytest.raises(NotOrdinaryError):
        VisibleText(raw, GAPS).after(0, 100, len(raw))
    assert len(Markup(b"<html>" + raw).after(6, 100)) < 1_000


def test_what_is_not_ordinary_is_read_token_by_token() -> None:
    raw = b"<html><p>Item 1. A < B</p><p>Next"
    assert Markup(raw).after(6, 100) == "Item 1. A < B\nNext"
