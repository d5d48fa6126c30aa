"""Reads a natural-language question as a query; pure.

Only words at the top level are read: anything in quotes, in an OR or excluded stays as it is.
Recognised parts add to the score and do not decide what matches, unless the question asks for
hardly anything else.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, structs

from edgar_search.search.language import (
    EXACT,
    And,
    Node,
    Or,
    Phrase,
    QueryError,
    Word,
    WordForms,
    add_word_forms,
    parse_query,
)
from edgar_search.search.language.dialects import Translation, guess, translate
from edgar_search.search.language.lexer import OPERATORS
from edgar_search.search.reading.names import (
    NO_NAMES,
    Names,
    given_names,
    is_surely_person,
    may_be_person,
    plain_word,
)
from edgar_search.search.reading.numbers import find_amounts
from edgar_search.search.reading.periods import find_periods
from edgar_search.search.reading.words import (
    ASKS,
    FORMS_BY_NAME,
    GIVEN_NAMES,
    INSTRUCTS,
    SAYS_NOTHING,
)
from edgar_search.text.words import tokens

Kind: TypeAlias = Literal[
    "company", "person", "form_type", "period", "amount", "left_out", "punctuation"
]
Readings: TypeAlias = Literal["exact", "person"]
PERSON: Readings = "person"
READINGS: tuple[Readings, ...] = ("exact", "person")


class Recognition(Struct, frozen=True):
    """A recognised part of a question, its position, and its meaning.

    `start` counts characters from 0, and `end` is exclusive; omitted words have the position of the
    whole question.
    """

    kind: Kind
    text: str
    meaning: str
    start: int
    end: int


class Person(Struct, frozen=True):
    """A person's name: the spellings of the given name, and the family name."""

    given: tuple[str, ...]
    family: str


class CompanyName(Struct, frozen=True):
    """A name in a question: its words, and the companies with this name."""

    words: tuple[str, ...]
    ciks: tuple[str, ...]


class Period(NamedTuple):
    """Days in which a report's period ends, and days on which reports of events announce it.

    `announced` is None if events are reported for the days of the period.
    """

    first: date
    last: date
    announced: tuple[date, date] | None = None


class Boosts(Struct, frozen=True):
    """Properties that add to a document's score; none is required."""

    ciks: tuple[str, ...] = ()
    root_forms: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    persons: tuple[Person, ...] = ()
    words: tuple[str, ...] = ()
    names: tuple[CompanyName, ...] = ()


class Question(Struct, frozen=True):
    """A question as it was asked: its text, and the word forms to find.

    With `asks_names`, names of companies and persons are operands however many others there are:
    for a search in which operands may be absent. Phrases such as `last year` are periods only with
    `today`, the day of the question.
    """

    text: str
    word_forms: WordForms = EXACT
    asks_names: bool = False
    today: date | None = None


class Reading(Struct, frozen=True):
    """The reading of a question: a query, properties that score, and recognised parts.

    `asks_number` is true if the answer is a number; `question` is the question that was read.
    """

    node: Node
    boosts: Boosts = Boosts()
    recognised: tuple[Recognition, ...] = ()
    asks_number: bool = False
    question: Question | None = None


class _Part(NamedTuple):
    """Recognised words of a run, from `first` up to `last`, exclusive.

    `operands` are used if they have to match.
    """

    kind: Kind
    first: int
    last: int
    meaning: str
    operands: tuple[Node, ...]
    boosts: Boosts = Boosts()
    matches: bool = False


# With fewer other operands nearly everything matches, so names must match too.
_ENOUGH = 2


def read_with_forms(question: Question, names: Names = NO_NAMES) -> tuple[Node, Reading]:
    """Read a question; return its query with word forms, and the reading.

    Raises QueryError if it has no words, or costs too much.
    """
    reading = read_question(
        question.text, names, asks_names=question.asks_names, today=question.today
    )
    node = add_word_forms(reading.node, question.word_forms)
    return node, structs.replace(reading, question=question)


def read_question(
    query: str, names: Names = NO_NAMES, *, asks_names: bool = False, today: date | None = None
) -> Reading:
    """Read a question in which `names` are companies; raises QueryError if it has no words.

    `asks_names` and `today` are as in `Question`.
    """
    translation = _translation(query)
    written = translation.query if translation else query
    node, repaired = _tree(written)
    operands = node.positive if isinstance(node, And) else (node,)
    parts: list[_Part] = []
    kept: list[Node] = []
    left_out: list[Word] = []
    recognised: list[Recognition] = []
    for is_words, group in groupby(operands, lambda operand: isinstance(operand, Word)):
        run = list(group)
        if not is_words:
            kept += run
            continue
        words = [operand for operand in run if isinstance(operand, Word)]
        parts_found = sorted(_recognise(words, names, today), key=lambda part: part.first)
        silent = _silent(words, parts_found)
        parts += parts_found
        by_first = {part.first: part for part in parts_found}
        taken = {place for part in parts_found for place in range(part.first, part.last)}
        for place, word in enumerate(words):
            if (part := by_first.get(place)) and part.matches:
                kept += part.operands
            elif place in silent:
                left_out.append(word)
            elif place not in taken:
                kept.append(_small(word))
        recognised += [_recognition(query, written, words, part) for part in parts_found]
    if asks_names or len(kept) < _ENOUGH:
        kept += _name_words(parts)
    kept = kept or _words_needed(parts) or list(operands)
    if left_out and len(kept) < len(operands):
        text = " ".join(operand.text for operand in left_out)
        recognised.append(Recognition("left_out", text, "does not count", 0, len(query)))
    if translation:
        recognised.append(Recognition("punctuation", query, translation.meaning, 0, len(query)))
    if repaired:
        meaning = "read as words, without parentheses, wildcards and operators"
        recognised.append(Recognition("punctuation", query, meaning, 0, len(query)))
    negative = node.negative if isinstance(node, And) else ()
    tree = And(tuple(kept), negative) if len(kept) > 1 or negative else kept[0]
    return Reading(tree, _together(parts), tuple(recognised), _asks_number(query))


# Words that ask for a number, in a sentence.
_NUMBER = re.compile(
    r"\bhow (?:many|much|large|big|high|old)\b"
    r"|\b(?:what|which)(?: is| was| were| are|'s)? (?:the |a |its )?"
    r"(?:total |average |net |gross |aggregate |annual )*"
    r"(?:amount|number|percentage|percent|proportion|share|rate|ratio|price|value|size)\b",
    re.IGNORECASE,
)
# Nouns that ask for a number at the end of a sentence, or anywhere in words that form none: `loss`
# ends sentences about something else.
_AMOUNTS = (
    r"(?:revenues?|sales|income|earnings|eps|margins?|deposits|assets|debt|dividends?|headcount"
    r"|capex|backlog|yield|growth)"
)
_AMOUNT_AT_END = re.compile(rf"\b{_AMOUNTS}\W*$", re.IGNORECASE)
_AMOUNT = re.compile(
    rf"\b(?:{_AMOUNTS}|employees|profits?|loss|fees|units|guidance|price|number"
    r"|per (?:share|unit))\b",
    re.IGNORECASE,
)
_OF_SENTENCES = re.compile(
    r"\b(?:who|why|when|where|how|did|does|do|is|are|was|were|has|have|can|in)\b", re.IGNORECASE
)


def _asks_number(query: str) -> bool:
    if _NUMBER.search(query) or _AMOUNT_AT_END.search(query):
        return True
    return _AMOUNT.search(query) is not None and _OF_SENTENCES.search(query) is None


_PHRASES = re.compile(r'"[^"*]*"(?:~\d+)?')
_MARKS = re.compile(r'[()*?"\u201c\u201d~]')
_SIGNS = re.compile(r"(?<!\S)[-+]+")


def _translation(query: str) -> Translation | None:
    """Translate the question if it uses connectors or signs of another query language."""
    dialect = guess(query)
    try:
        translation = translate(query, dialect) if dialect else None
    except QueryError:
        return None
    return translation if translation and translation.query != query else None


def _tree(query: str) -> tuple[Node, bool]:
    """Parse a question; return its tree, and True if only its words and phrases could be read."""
    try:
        return parse_query(query), False
    except QueryError as error:
        phrases = [phrase for phrase in _PHRASES.findall(query) if tokens(phrase)]
        remainder = _SIGNS.sub("", _MARKS.sub(" ", _PHRASES.sub(" ", query)))
        words = [word for word in remainder.split() if word not in OPERATORS]
        try:
            return parse_query(" ".join([*words, *phrases])), True
        except QueryError:
            raise error from None


def _recognise(words: Sequence[Word], names: Names, today: date | None) -> Iterator[_Part]:
    """Yield the recognised parts of a run of words, without overlaps."""
    plain = [_plain(word.text) for word in words]
    text = " ".join(plain)
    starts = [sum(map(len, plain[:place])) + place for place in range(len(plain))]
    ends = [start + len(word) for start, word in zip(starts, plain, strict=True)]
    taken: set[int] = set()

    def free(start: int, end: int) -> tuple[int, int] | None:
        if start not in starts or end not in ends:
            return None
        first, last = starts.index(start), ends.index(end) + 1
        if not taken.isdisjoint(range(first, last)):
            return None
        taken.update(range(first, last))
        return first, last

    said_names: list[str] = []
    for name in sorted(names, key=len, reverse=True):
        for match in _whole(name).finditer(text):
            if place := free(*match.span()):
                ciks = tuple(names[name])
                said_names.append(name)
                meaning = f"documents of CIK {', '.join(ciks)} score higher"
                name_tokens = tuple(tokens(name))
                boosts = Boosts(
                    ciks=ciks, words=name_tokens, names=(CompanyName(name_tokens, ciks),)
                )
                yield _Part("company", *place, meaning, tuple(words[slice(*place)]), boosts)
    for person in _persons(words, plain, names.persons):
        if taken.isdisjoint(range(person.first, person.last)):
            taken.update(range(person.first, person.last))
            yield person
    for amount in find_amounts(text):
        if place := free(amount.start, amount.end):
            yield _amount_part(words, place, amount.spellings)
    years = {names.year_ends.get(cik) for name in said_names for cik in names[name]}
    year_end = years.pop() if len(years) == 1 else None
    for period in find_periods(text, year_end, today):
        if place := free(period.start, period.end):
            meaning = (
                "documents whose period of report ends from"
                f" {period.first} to {period.last} score higher"
            )
            boosts = Boosts(periods=(Period(*period[2:]),))
            words_of_part = words[slice(*place)]
            yield _Part(
                "period", *place, meaning, tuple(words_of_part), _with_words(boosts, words_of_part)
            )
    for start, end, forms in _find_forms(text):
        if place := free(start, end):
            meaning = f"documents of form {', '.join(forms)} score higher"
            words_of_part = words[slice(*place)]
            boosts = _with_words(Boosts(root_forms=forms), words_of_part)
            yield _Part("form_type", *place, meaning, tuple(words_of_part), boosts)


def _plain(word: str) -> str:
    """Return the plain word; a year keeps the apostrophe in place of its century."""
    plain = plain_word(word)
    return f"'{plain}" if word[:1] in "'\u2019" and len(plain) == 2 and plain.isdigit() else plain


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S){re.escape(name)}(?!\S)")


# The number of words in the longest form name.
_LONGEST_FORM = max(name.count(" ") + 1 for name in FORMS_BY_NAME)


def _find_forms(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield form names in a text, the longest first, with positions and forms."""
    words = list(re.finditer(r"\S+", text))
    for length in range(_LONGEST_FORM, 0, -1):
        for first, last in zip(words, words[length - 1 :], strict=False):
            name = " ".join(text[first.start() : last.end()].split()).removesuffix("/a")
            if name in FORMS_BY_NAME:
                yield first.start(), last.end(), FORMS_BY_NAME[name]


def _persons(
    words: Sequence[Word], plain: Sequence[str], filing: Collection[str]
) -> Iterator[_Part]:
    """Yield names of persons: a given name, an optional initial, and a family name.

    A lower-case name counts if such a person files here, or if one of the words is not English.
    """
    for place, last in given_names(plain):
        given = plain[place]
        capitals = all(word.text[:1].isupper() for word in words[place : last + 1])
        if not (capitals or _is_person(given, plain[last], filing)):
            continue
        forms = sorted(GIVEN_NAMES[given] - {given})
        family = structs.replace(words[last], text=plain[last])
        asked = (structs.replace(words[place], text=given, forms=tuple(forms)), family)
        also = f" ({', '.join(forms)})" if forms else ""
        meaning = f"documents with this name score higher, in other forms of it too{also}"
        boosts = Boosts(persons=(Person((given, *forms), plain[last]),))
        yield _Part("person", place, last + 1, meaning, asked, boosts)


def _is_person(given: str, family: str, filing: Collection[str]) -> bool:
    if not may_be_person(given, family):
        return False
    return f"{given} {family}" in filing or is_surely_person(given, family)


def _amount_part(words: Sequence[Word], place: tuple[int, int], spellings: Sequence[str]) -> _Part:
    position = words[place[0]].position
    leaves: tuple[Node, ...] = tuple(
        Phrase(spelling, 0, position) if " " in spelling else Word(spelling, position)
        for spelling in spellings
    )
    meaning = "in any of the spellings " + ", ".join(f"`{spelling}`" for spelling in spellings)
    operand = Or(leaves) if len(leaves) > 1 else leaves[0]
    return _Part("amount", *place, meaning, (operand,), matches=True)


def _silent(words: Sequence[Word], parts: Sequence[_Part]) -> set[int]:
    """Return the positions of filler words."""
    taken = {place for part in parts for place in range(part.first, part.last)}
    silent: set[int] = set()
    begins, asking, instructs = True, True, False
    for place, word in enumerate(words):
        plain = plain_word(word.text)
        if begins:
            asking, instructs = True, place > 0 and plain in INSTRUCTS
        if place not in taken:
            if instructs or plain in SAYS_NOTHING or (asking and plain in ASKS):
                silent.add(place)
            else:
                asking = False
        # A dot after one or two letters belongs to an abbreviation.
        begins = word.text.endswith(("?", "!")) or (word.text.endswith(".") and len(plain) > 2)
    return silent


def _small(word: Word) -> Word:
    """Return the word in lower case, so that its forms count, unless it is an abbreviation.

    `May` keeps its capital, which tells a snippet the month from the verb.
    """
    plain = word.text.strip(".,;:?!()'")
    if not plain.istitle():
        return word
    return structs.replace(word, text=plain if plain == "May" else plain.lower())


def _name_words(parts: Sequence[_Part]) -> list[Node]:
    """Return the words of company and person names."""
    name_parts = (part for part in parts if part.kind in ("company", "person"))
    return [operand for part in name_parts for operand in part.operands]


def _words_needed(parts: Sequence[_Part]) -> list[Node]:
    """Return the words of forms, or else of periods, if the question asks for nothing else."""
    for kind in ("form_type", "period"):
        operands = [operand for part in parts if part.kind == kind for operand in part.operands]
        if operands:
            return operands
    return []


def _with_words(boosts: Boosts, words: Sequence[Word]) -> Boosts:
    return structs.replace(boosts, words=tuple(t for word in words for t in tokens(word.text)))


def _together(parts: Sequence[_Part]) -> Boosts:
    all_boosts = [part.boosts for part in parts]
    return Boosts(
        ciks=tuple(dict.fromkeys(cik for boosts in all_boosts for cik in boosts.ciks)),
        root_forms=tuple(
            dict.fromkeys(form for boosts in all_boosts for form in boosts.root_forms)
        ),
        # A report of the latest of several periods contains the others too.
        periods=max((boosts.periods for boosts in all_boosts), key=_last_day, default=()),
        persons=tuple(dict.fromkeys(person for boosts in all_boosts for person in boosts.persons)),
        words=tuple(dict.fromkeys(word for boosts in all_boosts for word in boosts.words)),
        names=tuple(dict.fromkeys(name for boosts in all_boosts for name in boosts.names)),
    )


def _last_day(periods: Sequence[Period]) -> date:
    return max((period.last for period in periods), default=date.min)


def _recognition(query: str, written: str, words: Sequence[Word], part: _Part) -> Recognition:
    """Return the part with its position in the question.

    `written` is the question in our language.
    """
    start = words[part.first].position - 1
    final = words[part.last - 1]
    end = final.position - 1 + len(final.text.rstrip(".,;:?!)"))
    text = written[start:end]
    if written != query:
        start = max(0, query.find(text))
        end = start + len(text) if text in query else len(query)
        text = query[start:end]
    return Recognition(part.kind, text, part.meaning, start, end)
