"""Declarations of endpoints and their parameters: the reader, documentation and tests use them."""

from typing import Any, Literal, TypeAlias

from msgspec import Struct

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


class Parameter(Struct, frozen=True):
    """One parameter of an endpoint, or one field of its body.

    `least` and `most` are the bounds of a whole number, and `most` of the number of a list's
    items; `longest` is the bound of a text or of each item, in characters. `choices` are the
    words that it is one of, and of which a list has some. `of` says in words what a text or
    each item is, `pattern` as a regular expression of the whole of it. `fields` are those of an
    object. The description is Markdown.
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
    of: str = ""
    pattern: str = ""
    fields: tuple["Parameter", ...] = ()

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

    @property
    def default_number(self) -> int:
        """The value of a whole number that is absent."""
        assert isinstance(self.default, int)
        return self.default

    def admits(self, number: int) -> bool:
        """Say if a whole number is within the bounds."""
        above = self.least is None or number >= self.least
        return above and (self.most is None or number <= self.most)


class Endpoint(Struct, frozen=True):
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

    @property
    def scope(self) -> str:
        """The scope that a key must have, if a key is needed."""
        return self.path.removeprefix("/")


API_KEY = Parameter("api_key", "text", "the key, where it is not in the header")
