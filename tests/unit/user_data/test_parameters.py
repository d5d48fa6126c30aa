"""The fields of a body: what is taken, and what the refusal of the rest says."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest

Read = Callable[[Parameters], Any]


LINE = Parameter("a", "text", "", longest=5)
LINES = Parameter("a", "lines", "", longest=5)
TEXTS = Parameter("a", "list", "", most=3, longest=5)
NUMBER = Parameter("a", "integer", "", least=1, most=9, default=7)
CHOICE = Parameter("a", "choice", "", choices=("x", "y"))
FLAG = Parameter("a", "flag", "", default=True)
MOMENT = Parameter("a", "moment", "")
OBJECT = Parameter("a", "object", "")
OTHER = Parameter("b", "text", "")


def refusal(value: Any, read: Read, declared: Parameter) -> str:
    with pytest.raises(BadRequest) as refused:
        read(Parameters.of_body({"a": value}, by_spelling([declared])))
    return str(refused.value)


def read(value: Any, reader: Read, declared: Parameter) -> Any:
    return reader(Parameters.of_body({"a": value}, by_spelling([declared])))


def shown(value: Any) -> str:
    """Return a wrong value as a refusal has it: JSON, between backticks unless it is a number."""
    written = msgspec.json.encode(value).decode()
    return written if type(value) is int else f"`{written}`"


def text(fields: Parameters) -> str | None:
    return fields.own_text("a")


def texts(fields: Parameters) -> list[str] | None:
    return fields.own_texts("a")


def number(fields: Parameters) -> int:
    return fields.integer("a")


def test_unknown_field_is_named_and_the_known_ones_are_listed() -> None:
    with pytest.raises(BadRequest, match="^`c` is not a field; known are a, b$"):
        Parameters.of_body({"a": 1, "c": 2}, by_spelling([LINE, OTHER]))


def test_field_is_refused_where_none_is_known() -> None:
    with pytest.raises(BadRequest, match="^`a` is not a field; known are none$"):
        Parameters.of_body({"a": 1}, by_spelling([]))


def test_null_is_sent_and_absent_is_not() -> None:
    fields = Parameters.of_body({"a": None}, by_spelling([LINE, OTHER]))
    assert ("a" in fields, "b" in fields, fields.sent(["b", "a"])) == (True, False, ["a"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (" \n ", None),
        (" ab ", "ab"),
        ("12345", "12345"),
        ("é東😀", "é東😀"),
    ],
)
def test_text_is_trimmed_and_blank_is_none(value: str | None, expected: str | None) -> None:
    assert read(value, text, LINE) == expected


@pytest.mark.parametrize("value", [1, True, ["a"], {"b": "c"}])
def test_what_is_no_string_is_refused(value: Any) -> None:
    assert refusal(value, text, LINE) == f"`a` must be a string, not {shown(value)}"


def test_longer_text_is_refused() -> None:
    assert refusal("123456", text, LINE) == "`a` must have at most 5 characters"


@pytest.mark.parametrize(
    "value", ["a\nb", "a\tb", "a\0", "a\x1b", "a\x85b", "a\u2028b", "a\u202eb"]
)
def test_control_character_is_refused(value: str) -> None:
    assert refusal(value, text, LINE) == "`a` must have no control characters"


def test_text_of_several_lines_keeps_them() -> None:
    assert read("a\r\n\tb", text, LINES) == "a\n\tb"


@pytest.mark.parametrize("value", ["a\0b", "a\rb", "a\x0bb"])
def test_text_of_several_lines_has_no_other_control_characters(value: str) -> None:
    assert refusal(value, text, LINES) == "`a` must have no control characters"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_needed_text_must_be_there(value: str | None) -> None:
    assert (
        refusal(value, lambda f: f.required_own_text("a"), LINE)
        == "`a` is missing; give 1 to 5 characters"
    )


def test_exact_text_is_as_it_was_sent() -> None:
    assert read(" a\n", lambda f: f.text("a"), LINE) == " a\n"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_exact_text_that_is_blank_is_none(value: str | None) -> None:
    assert read(value, lambda f: f.text("a"), LINE) is None


def test_exact_text_that_is_no_string_is_refused() -> None:
    assert refusal(1, lambda f: f.text("a"), LINE) == "`a` must be a string, not 1"


def test_missing_word_is_refused() -> None:
    message = refusal(None, lambda f: f.exact_choice("a", ["x", "y"]), CHOICE)
    assert message == "`a` is missing; give one of x, y"


@pytest.mark.parametrize("value", ["c", "X", 1, ["x"], {}])
def test_other_word_is_refused(value: Any) -> None:
    expected = f"`{value}`" if isinstance(value, str) else shown(value)
    assert (
        refusal(value, lambda f: f.exact_choice("a", ["x", "y"]), CHOICE)
        == f"`a` must be one of x, y, not {expected}"
    )


@pytest.mark.parametrize("value", [None, 0, 1, "true", []])
def test_flag_is_true_or_false_only(value: Any) -> None:
    assert (
        refusal(value, lambda f: f.flag("a"), FLAG)
        == f"`a` must be true or false, not {shown(value)}"
    )


def test_absent_flag_has_its_default() -> None:
    assert Parameters.of_body({}, by_spelling([FLAG])).flag("a") is True


@pytest.mark.parametrize("value", [None, 0, 10, 1.0, "1", True, 10**30, [1]])
def test_other_number_is_refused(value: Any) -> None:
    whole = "" if type(value) is int else "a whole number "
    expected = f"`a` must be {whole}from 1 to 9, not {shown(value)}"
    assert refusal(value, number, NUMBER) == expected


@pytest.mark.parametrize("value", [1, 9])
def test_number_within_its_bounds_is_taken(value: int) -> None:
    assert read(value, number, NUMBER) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), ([], []), ([" x", "y", "x"], ["x", "y"])],
)
def test_list_has_each_text_once(value: Any, expected: list[str] | None) -> None:
    assert read(value, texts, TEXTS) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "`a` must be a list of at most 3 strings"),
        ({}, "`a` must be a list of at most 3 strings"),
        (["1", "2", "3", "4"], "`a` must be a list of at most 3 strings"),
        ([1], "`a` must be a string, not 1"),
        ([None], "`a` must be a string, not `null`"),
        (["123456"], "`a` must have at most 5 characters"),
        (["x", " "], "`a` must have items of 1 to 5 characters"),
    ],
)
def test_other_list_is_refused(value: Any, message: str) -> None:
    assert refusal(value, texts, TEXTS) == message


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("2030-01-31T00:00:00Z", datetime(2030, 1, 31, tzinfo=UTC)),
        ("2030-01-31T02:00:00+02:00", datetime(2030, 1, 31, tzinfo=UTC)),
    ],
)
def test_moment_is_in_utc(value: str | None, expected: datetime | None) -> None:
    assert read(value, lambda f: f.moment("a"), MOMENT) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2030-01-31",
        "2030-01-31T00:00:00",
        "2030-02-31T00:00:00Z",
        "soon",
        1,
        "0001-01-01T00:00:00+23:00",
    ],
)
def test_other_moment_is_refused(value: Any) -> None:
    expected = "`a` must be a date-time with a zone, such as 2030-01-31T00:00:00Z, not "
    assert refusal(value, lambda f: f.moment("a"), MOMENT) == expected + shown(value)


@pytest.mark.parametrize("value", ["x", [], 1, True])
def test_other_object_is_refused(value: Any) -> None:
    assert refusal(value, lambda f: f.object("a"), OBJECT) == "`a` must be a JSON object"
