"""Names of companies in a question: the words that may be one, and how names are compared; pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from edgar_search.search.language import ALL, Word, add_word_forms
from edgar_search.search.query.matching import Clause
from edgar_search.search.reading.words import ASKS, FORMS_BY_NAME, SAYS_NOTHING
from edgar_search.text.words import tokens

# The CIKs that each name in a question means; a name is its words as `plain_word` gives them.
Names: TypeAlias = Mapping[str, Sequence[str]]
NO_NAMES: Names = {}

# Parts of the names of companies that people leave out, states of EDGAR's names among them.
_LEGAL = frozenset(
    "inc incorporated corp corporation co company companies ltd limited plc llc lp llp sa nv ag se"
    " the group holding holdings trust com de md nj ny va mn ma pa oh tx fl ca nc wa".split()
)
# Capital letters that are hardly ever meant as a ticker.
_ACRONYMS = frozenset(
    "abs ai api arr atm ceo cfo cik coo cpi cto ebit ebitda eps esg eu fcf fda fdic fy gaap gdp hr"
    " ifrs ip ipo irs it llc loi mda mna nol npv nyse pe pp ppe qoq rd reit roe roi rsu sec sga tv"
    " uk us usa usd vat yoy".split()
)
MAX_WORDS, MAX_CANDIDATES = 4, 12
# A name with more holders says little of which is meant.
MAX_HOLDERS, MAX_BEGUN = 10, 3
_LEAST_LETTERS = 2
# A text without blanks is one word, and its pattern must have fewer than Lucene's 1,000 characters.
_MOST_LETTERS, _MOST_TOKENS = 100, 12

_QUOTED = re.compile(r'"[^"]*"')
_ENDS = re.compile(r"^[^\w$]+|(['\u2019]s?)?[^\w]*$")
_CAPITAL = re.compile(r"[A-Z]|[0-9]+[A-Z]")
_JOINING = frozenset({"&", "and", "of"})
_SPECIAL = re.compile(r"[^A-Za-z0-9\u0080-\U0010ffff]")


def plain_word(text: str) -> str:
    """A word of a question in lower case, without punctuation and possessive `'s` around it."""
    return _ENDS.sub("", text).lower()


def name_candidates(query: str) -> tuple[str, ...]:
    """The runs of words with capitals, outside of quotes, that may name a company or ticker."""
    found: dict[str, None] = {}
    for run in _runs(_QUOTED.sub(" . ", query).split()):
        for size in range(min(len(run), 2 * MAX_WORDS), 0, -1):
            for start in range(len(run) - size + 1):
                words = run[start : start + size]
                if words[0] in _JOINING or words[-1] in _JOINING:
                    continue
                plain = [plain_word(word) for word in words if word != "&"]
                if 0 < len(plain) <= MAX_WORDS and _may_name(plain):
                    found[" ".join(plain)] = None
    return tuple(found)[:MAX_CANDIDATES]


def ticker_of(candidate: str, query: str) -> str | None:
    """The ticker that a candidate may be: it is in capitals, or `$` is before it."""
    if candidate.startswith("$"):
        return candidate[1:].upper()
    upper = candidate.upper()
    if " " in candidate or candidate in _ACRONYMS or len(candidate) < _LEAST_LETTERS:
        return None
    return upper if re.search(rf"\b{re.escape(upper)}\b", query) and upper.isalpha() else None


def is_ordinary(candidate: str) -> bool:
    """Say whether a candidate is one word that a list of English words has."""
    if " " in candidate:
        return False
    word = add_word_forms(Word(candidate, 1), ALL)
    return isinstance(word, Word) and bool(word.forms)


def names_clause(candidates: Iterable[str]) -> Clause:
    """Entities whose name is a candidate, or begins with one that is not an ordinary word."""
    patterns = [
        _pattern(each) + ("" if is_ordinary(each) else f"({_BETWEEN}.*)?") for each in candidates
    ]
    clauses = [
        {"regexp": {"name": {"value": each, "flags": "NONE", "case_insensitive": True}}}
        for each in patterns
    ]
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


_BETWEEN = "[^a-zA-Z0-9\u0080-\U0010ffff]+"
_LEGAL_PATTERN = f"({_BETWEEN}({'|'.join(sorted(_LEGAL))}))*[^a-zA-Z0-9]*"


def _pattern(candidate: str) -> str:
    words = [_SPECIAL.sub(r"\\\g<0>", word) for word in _tokens(candidate)]
    return f"(the )?{_BETWEEN.join(words)}('?s)?{_LEGAL_PATTERN}"


def holders(candidate: str, entities: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The CIKs of the entities (CIK and name) that a candidate names.

    They are those whose whole name it is; else those whose name begins with it, if they are few.
    """
    wanted = core_of_name(candidate)
    whole, begun = [], []
    for cik, name in entities:
        core = core_of_name(name)
        if core and [*core[:-1], _singular(core[-1])] == [*wanted[:-1], _singular(wanted[-1])]:
            whole.append(cik)
        elif core[: len(wanted)] == wanted:
            begun.append(cik)
    if whole:
        return tuple(whole) if len(whole) <= MAX_HOLDERS else ()
    return tuple(begun) if len(begun) <= MAX_BEGUN and not is_ordinary(candidate) else ()


def _singular(word: str) -> str:
    return word.replace("'", "").removesuffix("s")


def _tokens(name: str) -> list[str]:
    return [part for token in tokens(name) for part in token.split(".") if part and part != "and"]


def core_of_name(name: str) -> list[str]:
    """Return the words of a company's name without those of its legal form, in lower case."""
    return _core(_tokens(name))


def _core(words: list[str]) -> list[str]:
    """The words without those of its legal form around them, but never none."""
    start, end = 0, len(words)
    if words[:1] == ["the"] and end > 1:
        start = 1
    while end - 1 > start and words[end - 1] in _LEGAL:
        end -= 1
    return words[start:end]


def _may_name(words: Sequence[str]) -> bool:
    name = " ".join(words)
    if name in FORMS_BY_NAME or not any(char.isalpha() for char in name):
        return False
    if len(name) > _MOST_LETTERS or len(_tokens(name)) > _MOST_TOKENS:
        return False
    says_nothing = SAYS_NOTHING | ASKS
    return len(name) >= _LEAST_LETTERS and not all(word in says_nothing for word in words)


def _runs(words: Iterable[str]) -> Iterator[list[str]]:
    """Words with capitals that follow each other, with those that join them."""
    run: list[str] = []
    for word in words:
        bare = word.strip("(),.;:?!\"'\u201c\u201d").removeprefix("$")
        if bare and (_CAPITAL.match(bare) or word.startswith("$") or (run and bare in _JOINING)):
            run.append(bare if not word.startswith("$") else f"${bare}")
            if not word.endswith((",", ";", ":", "?", "!")):
                continue
        yield run
        run = []
    yield run
