"""The comparison of two answers: `tests/support/faces` asks two commits the same."""

import pytest

from tests.support.faces.answers import Answered, compared


def answered(body: str, status: int = 200) -> Answered:
    return Answered.of(status, [("Content-Type", "text/plain"), ("Date", "now")], body.encode())


def test_cursors_and_signed_addresses_are_no_difference() -> None:
    one, other = (
        answered(f'{{"next_cursor": "{cursor}", "link": "/as-filed/{until}/{cursor:a<22}/x.htm"}}')
        for cursor, until in (("AbC-1", 17), ("XyZ_2", 18))
    )
    assert compared(one, other) == ("equal", "")


@pytest.mark.parametrize(
    ("old", "new", "verdict", "detail"),
    [
        ('{"items": [{"a": 1}]}', '{"items": [{"a": 1, "b": 2}]}', "gained", "+.items[].b x1"),
        ('{"a": 1, "b": 2}', '{"a": 1}', "differs", "-.b x1; first -.b: 2"),
        ('{"a": 1.50}', '{"a": 1.5}', "differs", "the order or the writing of its JSON"),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', "differs", "the order or the writing of its JSON"),
        ("<p>one</p>", "<p>two</p>", "differs", "byte 3 of 10, 10: b'<p>one</p>' -> b'<p>two</p>'"),
    ],
)
def test_difference_is_named(old: str, new: str, verdict: str, detail: str) -> None:
    assert compared(answered(old), answered(new)) == (verdict, detail)


def test_other_status_is_a_difference() -> None:
    verdict, detail = compared(answered("a"), answered("b", 404))
    assert (verdict, detail) == ("differs", "status 200 -> 404: b'a' -> b'b'")
