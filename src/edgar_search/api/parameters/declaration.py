"""Declarations of endpoints and their parameters, used by the reader, documentation and tests."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from edgar_search.api.parameters.types import ValueType

ParameterKind: TypeAlias = Literal[
    "text",
    "lines",  # multi-line text
    "integer",
    "flag",
    "choice",  # one of several words
    "list",  # of texts
    "day",  # YYYY-MM-DD
    "date",  # a day, or an RFC 3339 date-time, whose date counts
    "moment",  # an RFC 3339 date-time
    "object",
]
Place: TypeAlias = Literal["query", "body", "both"]
Credential: TypeAlias = Literal["key", "token", "none"]


class Shown(Struct, frozen=True):
    """The appearance of a filter on pages.

    A chip has its `words`, with the value for `{}`, or the words of that value in `values`. `group`
    names the filter, together with similar ones, when the search without it is offered. A form has
    a field with its `label` and `example`, on the search page only if `in_search`. `picks` is
    "filer" if it selects companies or single documents, "form" if it selects the kind of filing.
    `default` applies to the search page; other interfaces have the parameter's.
    """

    words: str
    group: str
    label: str = ""
    example: str = ""
    in_search: bool = False
    picks: Literal["", "filer", "form"] = ""
    values: tuple[tuple[str, str], ...] = ()
    default: str = ""


class Parameter(Struct, frozen=True, dict=True):
    """A parameter of an endpoint, or a field of its body.

    `least` and `most` are the bounds of a whole number, and `most` also that of the number of a
    list's items; `longest` is the maximum length of a text or of each item, in characters.
    `choices` are the allowed words. A text or each item is read as a value of the `type`; `of`
    names it in words, `pattern` is a regular expression for the whole of it. A `joined` list may
    also come in a body as one comma-separated text. `fields` are those of an object. The
    description is Markdown. `shown` is set if pages show it as a filter.
    """

    name: str
    kind: ParameterKind
    description: str
    spellings: tuple[str, ...] = ()
    required: bool = False
    least: int | None = None
    most: int | None = None
    longest: int | None = None
    default: str | int | bool | None = None
    choices: tuple[str, ...] = ()
    type: ValueType | None = None
    of: str = ""
    pattern: str = ""
    joined: bool = False
    fields: tuple["Parameter", ...] = ()
    shown: Shown | None = None

    @property
    def all_spellings(self) -> tuple[str, ...]:
        """All of its names, the main one first."""
        return (self.name, *self.spellings)

    @property
    def bounds(self) -> str:
        """The bounds of a whole number, in words."""
        if self.most is None:
            return f"at least {self.least}"
        return f"from {self.least} to {self.most}"

    @cached_property
    def declared_fields(self) -> "Declared":
        """The fields of an object, by spelling."""
        return by_spelling(self.fields)


# Parameters by each of their names.
Declared: TypeAlias = Mapping[str, Parameter]


def by_spelling(parameters: Iterable[Parameter]) -> Declared:
    """Return parameters by each of their names.

    Made once per endpoint, since every request looks names up.
    """
    return {name: parameter for parameter in parameters for name in parameter.all_spellings}


class Endpoint(Struct, frozen=True, dict=True):
    """An endpoint: its path and methods (HEAD is implied by GET), its parameters and its answer.

    `answer` is the type of its JSON, a Struct or anything else that msgspec can describe; None if
    it does not answer with JSON. `media` are other content types that it may answer with.
    `statuses` are the success statuses. `rules` are sentences about parameters that depend on each
    other, in Markdown.
    """

    path: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    methods: tuple[str, ...] = ("GET",)
    where: Place = "query"
    credential: Credential = "none"
    answer: Any = None
    media: tuple[str, ...] = ()
    statuses: tuple[int, ...] = (200,)
    rules: tuple[str, ...] = ()

    @cached_property
    def declared(self) -> Declared:
        """The parameters by each of their names."""
        return by_spelling(self.parameters)

    @property
    def scope(self) -> str:
        """The scope that a key must have, if one is required."""
        return self.path.removeprefix("/")


API_KEY = Parameter("api_key", "text", "the key, if it is not in the header")
