"""Declarations of endpoints and parameters, for the reader, the documentation and tests."""

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
    "list",  # several texts
    "day",  # YYYY-MM-DD
    "date",  # a day, or the day of an RFC 3339 date-time
    "moment",  # an RFC 3339 date-time
    "object",
]
Place: TypeAlias = Literal["query", "body", "both"]
Credential: TypeAlias = Literal["key", "token", "none"]


class Shown(Struct, frozen=True):
    """The look of a filter on pages.

    A chip has its `words`, with the value at `{}`, or the words for that value in `values`. `group`
    names the filter and similar ones when pages offer to search without it. A form field has a
    `label` and an `example`; only with `in_search` is it on the search page. `picks` is "filer" if
    the filter selects companies or single documents, "form" if it selects kinds of filings.
    `default` is the default on the search page; elsewhere the parameter's own applies.
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

    `least` and `most` bound a whole number; `most` also bounds the number of items of a list.
    `longest` is the maximum length of a text or item, in characters. `choices` are the allowed
    words. A text or item is read as a value of the `type`; `of` describes it in words, and
    `pattern` is a regular expression that matches all of it. In a body, a `joined` list may also be
    one comma-separated text. `fields` are the fields of an object. The description is Markdown.
    `shown` is set if pages show it as a filter.
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
        """All names of the parameter, the main one first."""
        return (self.name, *self.spellings)

    @property
    def bounds(self) -> str:
        """The bounds of a whole number, in words."""
        if self.most is None:
            return f"at least {self.least}"
        return f"from {self.least} to {self.most}"

    @cached_property
    def declared_fields(self) -> "Declared":
        """The fields of an object, by all their names."""
        return by_spelling(self.fields)


# Parameters by all their names.
Declared: TypeAlias = Mapping[str, Parameter]


def by_spelling(parameters: Iterable[Parameter]) -> Declared:
    """Index parameters by all their names.

    Cached for each endpoint, since every request looks names up.
    """
    return {name: parameter for parameter in parameters for name in parameter.all_spellings}


class Endpoint(Struct, frozen=True, dict=True):
    """An endpoint: its path and methods (HEAD is implied by GET), its parameters and its answer.

    `answer` is the type of its JSON, a Struct or another type that msgspec can describe; None if it
    does not answer with JSON. `media` are other media types of its answers. `statuses` are the
    statuses of success. `rules` are sentences about parameters that depend on each other, in
    Markdown.
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
        """The parameters by all their names."""
        return by_spelling(self.parameters)

    @property
    def scope(self) -> str:
        """The scope that a key needs, if the endpoint requires a key."""
        return self.path.removeprefix("/")


API_KEY = Parameter("api_key", "text", "the key, if it is not in the header")
