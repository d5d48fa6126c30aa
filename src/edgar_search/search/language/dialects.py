"""Translates queries from the languages of other systems; pure.

Features that these languages share are parsed alike: connectors with a distance, roots, exclusion
by a sign. They differ in the meaning of a blank and of `*`, and in which operator binds first.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.search.language.lexer import MAX_QUERY_CHARS, MAX_SLOP
from edgar_search.search.language.tree import QueryError
from edgar_search.text.words import tokens

Dialect: TypeAlias = Literal["westlaw", "lexis", "courtlistener", "efts", "google"]
DIALECTS: tuple[Dialect, ...] = ("westlaw", "lexis", "courtlistener", "efts", "google")
# A blank between words means OR in Westlaw, and AND elsewhere.
_BLANK_IS_OR = ("westlaw",)
# OR binds before everything but phrases, as in `contract or agreement /5 breach`.
_OR_FIRST = ("westlaw", "lexis", "google")
# Distances that mean "same sentence" and "same paragraph", by the usual lengths in filings.
SENTENCE, PARAGRAPH = 20, 50
# Proximity connects words and phrases; for groups, up to this many pairs are written out.
_MOST_PAIRS = 20
# The deepest nesting of groups and exclusions: each level takes six of Python's thousand calls.
_MOST_DEPTH = 50

_TOKEN = re.compile(
    r"""
    (?P<phrase>"[^"]*"(?:~\d+)?)
    |(?P<times>\bat(?:least|l)\s?\d+\s?(?=\())
    |(?P<near>(?:(?:w|pre|near|within|onear|adj)/(?:\d+|s|p|seg|sent|para)|[/+](?:\d+|s|p)
      |near(?:\(\d+\))?|around\(\d+\))(?=\s|$|\())
    |(?P<compound>\d+(?:\(\w+\))+)
    |(?P<field>[A-Za-z]{2,}\((?=[^()]*\))(?<!OR\()(?<!or\()(?<!AND\()(?<!and\()(?<!NOT\()(?<!not\()[^()]*\)
      |\b[A-Za-z_]{2,}:(?:"[^"]*"|\[[^\]]*\]|\([^()]*\)|[^\s()]+))
    |(?P<minus>(?:\b(?:and|but)\s+not\b|\bNOT\b|(?<![^\s(])[-!%](?=[\w"(]|\s|$)))
    |(?P<and>(?:&&|&(?=\s)|\bAND\b))
    |(?P<or>(?:\|\|?|\bOR\b))
    |(?P<plus>(?<![^\s(])\+(?=[\w"(]))
    |(?P<open>\()|(?P<close>\))
    |(?P<word>[^\s()"]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Signs of another language, which would otherwise be read as words. After a number, % means
# percent; beside a phrase, `and not` excludes, elsewhere it may be a sentence's.
_FOREIGN = re.compile(
    r"""(?:^|\s|\()(?:[-!](?=["(\w])|\+(?=["(\w])|(?<!\d\s)%\s|(?:w|pre|near)/\w+\s|[/+][sp]\s|/\d+\s
    |&&|\|\||\|\s|AND\s+NOT\s|but\s+not\s|(?<="\s)and\s+not\s|and\s+not\s+"
    |(?i:around|near)\(\d|at(?:least|l)\s?\d+\s?\(
    |(?:da|date|site|intitle|dateFiled)(?:\(|:)\S)|(?<![A-Za-z])[A-Za-z]{3,}!(?=\s|$)""",
    re.VERBOSE,
)
# Connectors that only Westlaw and Lexis have; a blank means AND in Lexis, as it does here.
_CONNECTORS = re.compile(
    r"(?:^|\s)(?:(?<!\d\s)%\s|(?:w|pre|near)/\w|[/+][sp]\s|/\d)|(?<![A-Za-z])[A-Za-z]{3,}!(?=\s|$)"
)
# Signs that only Google has, where OR binds first.
_OF_GOOGLE = re.compile(r"(?<!\|)\|\s|(?i:around)\(\d|(?:site|intitle):\S")


class Translation(NamedTuple):
    """A query in our language, and notes about what was left out or changed."""

    query: str
    notes: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """The query in our language and the notes, as a sentence."""
        return "; ".join((f"read as `{self.query}`", *self.notes))


class _Node(NamedTuple):
    """A piece of text in our language; `parts` are alternatives for a phrase, if any."""

    text: str
    parts: tuple[str, ...] = ()
    excluded: bool = False


class _Token(NamedTuple):
    kind: str
    text: str


def guess(query: str) -> Dialect | None:
    """Guess the language of a query from its connectors and signs; None without any."""
    if _FOREIGN.search(query) is None:
        return None
    if _CONNECTORS.search(query):
        return "lexis"
    return "google" if _OF_GOOGLE.search(query) else "courtlistener"


def translate(query: str, dialect: Dialect) -> Translation:
    """Translate a query from another language into ours; raises QueryError if nothing is left.

    An exclusion stays one, or is reported as left out.
    """
    if len(query) > MAX_QUERY_CHARS:
        raise QueryError(
            f"longer than {MAX_QUERY_CHARS:,} characters", "shorten it", MAX_QUERY_CHARS + 1
        )
    reader = _Reader(list(_tokens(query)), dialect)
    node = reader.read()
    if node is None or node.excluded:
        raise QueryError("nothing is wanted, only excluded", "add a word that documents must have")
    return Translation(node.text, tuple(dict.fromkeys(reader.notes)))


def _tokens(query: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(query.replace("\u201c", '"').replace("\u201d", '"')):
        kind = match.lastgroup or "word"
        yield _Token("word" if kind == "compound" else kind, match[0])


class _Reader:
    """Parses one query from its first token to its last."""

    def __init__(self, found: Sequence[_Token], dialect: Dialect) -> None:
        self._found, self._at, self._dialect = found, 0, dialect
        self._depth = 0
        self.notes: list[str] = []

    def read(self) -> _Node | None:
        """Parse the whole query; unmatched closing parentheses are ignored."""
        parts = []
        while self._at < len(self._found):
            parts.append(self._any())
            # An OR at the beginning, or an unmatched closing parenthesis.
            self._at += self._kind() in ("close", "or")
        return _all(parts)

    def _kind(self) -> str:
        if self._at >= len(self._found):
            return ""
        kind, text = self._found[self._at]
        # Operators in capitals; in lower case they are words in systems where users type sentences.
        lower = text in ("or", "and") and self._dialect in ("efts", "google", "courtlistener")
        return "word" if lower and kind in ("or", "and") else kind

    def _take(self) -> str:
        self._at += 1
        return self._found[self._at - 1].text

    def _any(self) -> _Node | None:
        """Parse alternatives, which bind weakest, except where OR binds first."""
        if self._dialect in _OR_FIRST:
            return self._every()
        parts = [self._every()]
        while self._kind() == "or":
            self._take()
            parts.append(self._every())
        return _some(parts)

    def _every(self) -> _Node | None:
        parts = []
        while (kind := self._kind()) not in ("", "close", "or"):
            if kind in ("and", "plus"):
                self._take()
                continue
            parts.append(self._operand())
        return _all(parts)

    def _operand(self) -> _Node | None:
        if self._kind() == "minus":
            sign = self._take()
            # Westlaw excludes everything that follows.
            node = self._inner(self._every if sign == "%" else self._operand_if_any)
            return node._replace(excluded=True) if node else None
        return self._near()

    def _operand_if_any(self) -> _Node | None:
        return None if self._kind() in ("", "close", "or") else self._operand()

    def _near(self) -> _Node | None:
        left = self._alternatives()
        while self._kind() == "near":
            connector = self._take()
            left = self._close(left, self._alternatives(), connector)
        return left

    def _alternatives(self) -> _Node | None:
        parts = [self._one()]
        while self._dialect in _OR_FIRST:
            if self._kind() == "or":
                self._take()
            elif self._dialect not in _BLANK_IS_OR or self._kind() not in (
                "word",
                "phrase",
                "open",
            ):
                break
            parts.append(self._one())
        return _some(parts)

    def _one(self) -> _Node | None:
        kind = self._kind()
        if kind in ("", "close"):
            return None
        text = self._take()
        if kind == "open":
            return self._inner(self._group)
        if kind == "times":
            self.notes.append(f"`{text.strip()}`: how often a word occurs cannot be asked for")
            return self._one()
        if kind == "field":
            self.notes.append(f"`{text}`: left out; {_parameter(text)}")
            return None
        if kind in ("word", "phrase"):
            return self._leaf(text, kind)
        return None

    def _group(self) -> _Node | None:
        """Parse the text after an open parenthesis, up to the closing one, if any."""
        node = self._any()
        while self._kind() == "or":
            self._take()
            node = _some([node, self._any()])
        self._at += self._kind() == "close"
        return node

    def _inner(self, read: Callable[[], _Node | None]) -> _Node | None:
        """Parse a group or an exclusion; QueryError if they are nested too deeply."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            wrong = f"parentheses and exclusions nested more than {_MOST_DEPTH} deep"
            raise QueryError(wrong, "use fewer")
        node = read()
        self._depth -= 1
        return node

    def _leaf(self, text: str, kind: str) -> _Node | None:
        if kind == "phrase":
            return _Node(text, (text,)) if tokens(text) else None
        if not tokens(text):
            return None
        if text.endswith("!"):
            return _Node(f"{text.rstrip('!')}*")
        if "*" in text and self._dialect in ("westlaw", "lexis"):
            end = "*" if self._dialect == "lexis" and text.endswith("*") else ""
            inner = text.removesuffix("*") if end else text
            return _Node(inner.replace("*", "?") + end)
        # An operator in our language, but not in the other.
        plain = text.lower() if text in ("AND", "OR", "NOT") else text.lstrip("-+!%")
        return _Node(plain, () if "*" in plain or "?" in plain.rstrip("?") else (plain,))

    def _close(self, left: _Node | None, right: _Node | None, connector: str) -> _Node | None:
        if left is None or right is None:
            return left or right
        distance = _distance(connector)
        pairs = [(one, other) for one in left.parts for other in right.parts]
        if not pairs or len(pairs) > _MOST_PAIRS:
            self.notes.append(f"`{connector}`: a distance from a root or a long group is left out")
            return _all([left, right])
        if connector[0] == "+" or connector.lower().startswith(("pre", "onear")):
            self.notes.append(f"`{connector}`: the order of the words does not count")
        if not connector[-1].isdigit() and not connector.endswith(")"):
            self.notes.append(f"`{connector}`: read as {distance} words or fewer between")
        near = [f'"{_inside(one)} {_inside(other)}"~{distance}' for one, other in pairs]
        text = near[0] if len(near) == 1 else f"({' OR '.join(near)})"
        return _Node(text, tuple(f"{_inside(a)} {_inside(b)}" for a, b in pairs))


def _inside(part: str) -> str:
    """Return a part as the words to write inside a phrase."""
    return re.sub(r'"(.*)"(?:~\d+)?', r"\1", part)


def _distance(connector: str) -> int:
    digits = re.search(r"\d+", connector)
    if digits:
        return min(int(digits[0]), MAX_SLOP)
    return PARAGRAPH if re.search(r"[/+]p", connector.lower()) else SENTENCE


# Our parameters for other systems' fields.
_PARAMETERS = {
    "company": "use `company`",
    "name": "use `company`",
    "ticker": "use `ticker`",
    "cik": "use `cik`",
    "date": "use `from_date` and `to_date`",
    "da": "use `from_date` and `to_date`",
    "filed": "use `from_date` and `to_date`",
    "after": "use `from_date`",
    "before": "use `to_date`",
    "form": "use `form_type`",
    "filetype": "use `document_type`",
    "type": "use `form_type`",
}


def _parameter(text: str) -> str:
    name = re.split(r"[(:]", text, maxsplit=1)[0].lower()
    return _PARAMETERS.get(name, "there is no such field")


def _all(parts: Sequence[_Node | None]) -> _Node | None:
    wanted = [part for part in parts if part and not part.excluded]
    unwanted = [part for part in parts if part and part.excluded]
    if not wanted:
        return _some(unwanted)
    if len(wanted) == 1 and not unwanted:
        return wanted[0]
    return _Node(" ".join([*(operand.text for operand in wanted), *map(_without, unwanted)]))


def _without(part: _Node) -> str:
    return f"NOT {_grouped(part.text)}"


def _some(parts: Sequence[_Node | None]) -> _Node | None:
    """Join alternatives; an alternative that only excludes is excluded from the others."""
    wanted = [part for part in parts if part and not part.excluded]
    unwanted = [part for part in parts if part and part.excluded]
    if not wanted:
        text = " OR ".join(_grouped(part.text) for part in unwanted)
        return _Node(f"({text})" if len(unwanted) > 1 else text, (), True) if unwanted else None
    inside = tuple(alternative for part in wanted for alternative in part.parts)
    each_inside = inside if all(part.parts for part in wanted) else ()
    text = " OR ".join(_grouped(part.text) for part in wanted)
    node = _Node(f"({text})", each_inside) if len(wanted) > 1 else wanted[0]
    return _all([node, *unwanted]) if unwanted else node


def _grouped(text: str) -> str:
    """Return the text as one operand, in parentheses if needed."""
    single = " " not in text or re.fullmatch(r'"[^"]*"(?:~\d+)?|\([^()]*\)', text)
    return text if single else f"({text})"
