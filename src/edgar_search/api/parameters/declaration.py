"""Declarations of endpoints and their parameters: the reader, documentation and tests use them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from edgar_search.api.parameters.types import ValueType

ParameterKind: TypeAlias = Literal[
    "text",
    "lines",  # text of several lines
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
    """The look of a filter on pages.

    A chip has its `words`, with the value for `{}`, or the words of that value in `values`.
    `group` names the filter, with others alike, when the search without it is offered. A form has a
    field with its `label` and `example`, on the page of searches only if `in_search`. `picks` is
    "filer" if it chooses companies or single documents, "form" if it chooses the kind of filing. A
    page of searches has the `default` of its own; other interfaces have the parameter's.
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
    """One parameter of an endpoint, or one field of its body.

    `least` and `most` are the bounds of a whole number, and `most` of the number of a list's
    items; `longest` is the bound of a text or of each item, in characters. `choices` are the
    words that it is one of, and of which a list has some. A text or each item is read as a value
    of the `type`; `of` says in words what it is, `pattern` as a regular expression of the whole of
    it. A `joined` list may also come in a body as one text with commas. `fields` are those of an
    object. The description is Markdown. `shown` is set if pages show it as a filter.
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
        """Every name that it may have, its own first."""
        return (self.name, *self.spellings)

    @property
    def bounds(self) -> str:
        """The bounds of a whole number, in words."""
        if self.most is None:
            return f"at least {self.least}"
        return f"from {self.least} to {self.most}"

    @cached_property
    def declared_fields(self) -> "Declared":
        """The fields of an object as the reader takes them."""
        return by_spelling(self.fields)


# Parameters by every name that each may have.
Declared: TypeAlias = Mapping[str, Parameter]


def by_spelling(parameters: Iterable[Parameter]) -> Declared:
    """Parameters as the reader takes them; made once, since it looks names up in every request."""
    return {name: parameter for parameter in parameters for name in parameter.all_spellings}


class Endpoint(Struct, frozen=True, dict=True):
    """An endpoint: its path and methods (HEAD goes with GET), its parameters and its answer.

    `answer` is the type of its JSON, a Struct or whatever else msgspec can describe; None if it
    does not answer with JSON. `media` are the other types of content that it may answer with.
    `statuses` are those of success. `rules` are sentences about parameters that depend on each
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
        """The parameters as the reader takes them."""
        return by_spelling(self.parameters)

    @property
    def scope(self) -> str:
        """The scope that a key must have, if a key is needed."""
        return self.path.removeprefix("/")


API_KEY = Parameter("api_key", "text", "the key, if it is not in the header")
