"""Company names in a question: the words that may be one, and comparing them; pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from edgar_search.search.language import ALL, Word, add_word_forms
from edgar_search.search.query.matching import FORMER_NAMES, NAME, Clause
from edgar_search.search.reading.periods import YearEnd
from edgar_search.search.reading.words import (
    ASKS,
    FORMS_BY_NAME,
    GIVEN_NAMES,
    INSTRUCTS,
    SAYS_LITTLE,
    SAYS_NOTHING,
)
from edgar_search.text.words import tokens


class Names(dict[str, Sequence[str]]):
    """The CIKs that each name in a question means; a name is its words in the form of `plain_word`.

    `year_ends` holds the fiscal year ends of these companies, by CIK, as far as they are known;
    `persons` are the lower-case given and family names of persons who file here.
    """

    def __init__(
        self,
        ciks: Mapping[str, Sequence[str]] | None = None,
        year_ends: Mapping[str, YearEnd] | None = None,
        persons: Collection[str] = (),
    ) -> None:
        super().__init__(ciks or {})
        self.year_ends = year_ends or {}
        self.persons = persons


NO_NAMES = Names()

# Parts of company names that people leave out, including EDGAR's state suffixes.
_LEGAL = frozenset(
    "inc incorporated corp corporation co company companies ltd limited plc llc lp llp sa nv ag se"
    " the group holding holdings trust com de md nj ny va mn ma pa oh tx fl ca nc wa".split()
)
# Capital letters that are rarely meant as a ticker.
_ACRONYMS = frozenset(
    "abs ai api arr atm ceo cfo cik coo cpi cto ebit ebitda eps esg eu fcf fda fdic fy gaap gdp hr"
    " ifrs ip ipo irs it llc loi mda mna nol npv nyse pe pp ppe qoq rd reit roe roi rsu sec sga tv"
    " uk us usa usd vat yoy".split()
)
# Nicknames that no register lists, with the registered names.
_NICKNAMES = {
    "amex": "american express",
    "bofa": "bank of america",
    "citi": "citigroup",
    "coke": "coca cola",
    "exxon": "exxon mobil",
    "facebook": "meta platforms",
    "ford": "ford motor",
    "gm": "general motors",
    "google": "alphabet",
    "hewlett packard": "hp",
    "instagram": "meta platforms",
    "j&j": "johnson johnson",
    "jp morgan": "jpmorgan chase",
    "jpmorgan": "jpmorgan chase",
    "mcdonalds": "mcdonald's",
    "p&g": "procter gamble",
    "pepsi": "pepsico",
    "supermicro": "super micro computer",
    "ti": "texas instruments",
    "youtube": "alphabet",
}
# English words that are company names even in lower case.
_NAMES_FIRST = frozenset(
    "adobe alphabet amazon apple biogen chevron corning costar cummins fedex intuit kohls lowes"
    " mcdonalds oracle samsara sap snowflake starbucks tesla toyota viking walgreens xylem".split()
)
# Topic words, which in lower case are not a company's whole name.
_SUBJECTS = frozenset(
    "account accounts acquisition advanced agreement annual asset assets audit balance bank benefit"
    " bond bonds business capital cash change chief class commercial common credit debt deferred"
    " director directors dividend dividends earnings employee energy equity executive expense"
    " expenses federal finance financial fixed flow free full fund funds gain general global gold"
    " goodwill gross growth health income insurance interest international investment investments"
    " legal letter liabilities life line loan loans long loss management margin market master"
    " material net note notes officer offering oil operating option options partners per plan"
    " preferred price product products profit property public quality rate rates real estate report"
    " reserve resources retail return revenue revenues risk sale sales securities segment senior"
    " service services settlement share shares short solutions special spin off split statement"
    " stock strategic supply systems tax technology tender term total trade trust unit value world"
    " year".split()
)
# Words common in names, which alone mean no company.
_PLACES = frozenset(
    "africa america american americas asia asian australia brazil britain british california canada"
    " canadian china chinese delaware europe european florida france germany india israel italy"
    " japan japanese korea london mexico nevada ohio russia texas ukraine usa virginia".split()
)
# Words before place names, and parts of words that are written apart.
_BEFORE_PLACES = frozenset("central east eastern latin north northern south southern west".split())
_PREFIXES = frozenset("anti ex multi non post pre semi sub".split())
MAX_WORDS, MAX_CANDIDATES = 5, 24
_MOST_PERSONS, _MOST_OF_PERSON = 4, 4
# With more holders, it is unclear which one a name means.
MAX_HOLDERS, MAX_BEGUN = 10, 3
_LEAST_LETTERS, _LEAST_SMALL_LETTERS = 2, 3
# A text without blanks is one word, and its pattern must stay below Lucene's 1,000 characters.
_MOST_LETTERS, _MOST_TOKENS = 100, 12
# The shortest part of a word that is two words of a name written as one.
_LEAST_PART = 3

_QUOTED = re.compile(r'"[^"]*"')
_ENDS = re.compile(r"^[^\w$]+|(['\u2019]s?)?[^\w]*$")
_CAPITAL = re.compile(r"[A-Z]|[0-9]+[A-Z]")
_JOINING = frozenset({"&", "and", "of"})
# A quarter, half or year, a month, and other words in capitals next to a name.
_NO_NAME = re.compile(
    r"(?:q[1-4]|[1-4]q|h[12]|[12]h|fye?)(?:fy)?(?:'?\d+)?(?:q[1-4])?|\d+(?:st|nd|rd|th)?"
    r"|jan|feb|mar|apr|may|jun|june|jul|july|aug|sept?|oct|nov|dec"
    r"|january|february|march|april|august|september|october|november|december"
)


def plain_word(text: str) -> str:
    """Return a word of a question in lower case, without punctuation and possessive `'s`."""
    return _ENDS.sub("", text).lower()


class Candidate(NamedTuple):
    """Words that may name a company; `capital` is true if each of them is capitalized."""

    name: str
    capital: bool


def name_candidates(query: str) -> tuple[Candidate, ...]:
    """Return the words outside quotes that may be a company or ticker, capitalized ones first."""
    capitals: dict[str, bool] = {}
    for run in _runs(_QUOTED.sub(" . ", query).split()):
        for size in range(min(len(run), 2 * MAX_WORDS), 0, -1):
            for start in range(len(run) - size + 1):
                words = run[start : start + size]
                if words[0] in _JOINING or words[-1] in _JOINING:
                    continue
                plain = [plain_word(word) for word in words if word != "&"]
                capital = all(word in _JOINING or _is_capital(word) for word in words)
                if 0 < len(plain) <= MAX_WORDS and _may_name(plain, capital):
                    name = " ".join(plain)
                    capitals[name] = capitals.get(name, False) or capital
    candidates = [Candidate(*item) for item in capitals.items()]
    # In long questions only single words and capitalized names are looked up.
    candidates.sort(key=lambda item: (not item.capital, " " in item.name))
    return tuple(candidates[:MAX_CANDIDATES])


def whole_name(text: str) -> str | None:
    """Return the whole text as a candidate, without its legal form.

    None if it is too long.
    """
    plain = " ".join(plain_word(word) for word in text.split() if word != "&")
    name = plain if plain in _NICKNAMES else " ".join(core_of_name(plain))
    return name if name and _is_short(name) else None


def _is_capital(word: str) -> bool:
    return _CAPITAL.match(word) is not None or word.startswith("$")


def ticker_of(candidate: str, query: str) -> str | None:
    """Return the candidate as a ticker if it may be one: in capitals, after `$`, or not English."""
    if candidate.startswith("$"):
        return candidate[1:].upper()
    upper = candidate.upper()
    if not upper.isalpha() or candidate in _ACRONYMS or len(candidate) < _LEAST_LETTERS:
        return None
    if re.search(rf"\b{re.escape(upper)}\b", query):
        return upper
    small = len(candidate) >= _LEAST_SMALL_LETTERS and not is_ordinary(candidate)
    return upper if small and candidate not in _NICKNAMES else None


def is_ordinary(candidate: str) -> bool:
    """Return True if a candidate is a single word from a list of English words."""
    if " " in candidate:
        return False
    word = add_word_forms(Word(candidate, 1), ALL)
    return isinstance(word, Word) and bool(word.forms)


def name_clauses(candidate: str) -> list[Clause]:
    """Match entities that may have, or have had, the candidate's name.

    Their names contain its words, or it is two of their words written as one; `holders` decides.
    """
    words = _tokens(formal_name(candidate))
    (*before, last) = words
    spelled = [[word] for word in before] + [[last, f"{last}s", f"{last}'s"]]
    ways = [spelled, [["".join(words)]]] if before else [spelled]
    if not before and last.isalpha() and not is_ordinary(candidate):
        ends = range(_LEAST_PART, len(last) - _LEAST_PART + 1)
        ways += [[[last[:end]], [last[end:]]] for end in ends]
    return [
        {"bool": {"filter": [{"terms": {field: words_of_field}} for words_of_field in way]}}
        for way in ways
        for field in (f"{NAME}.words", f"{FORMER_NAMES}.words")
    ]


def person_candidates(query: str) -> tuple[tuple[str, str], ...]:
    """Return neighbouring words that may be a given and a family name, in lower case."""
    plain = [plain_word(word) for word in _QUOTED.sub(" . ", query).split()]
    pairs = ((plain[first], plain[last]) for first, last in given_names(plain))
    pairs_found = dict.fromkeys(pair for pair in pairs if may_be_person(*pair))
    return tuple(pairs_found)[:_MOST_PERSONS]


def given_names(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of given names and of the word after each, or after its initial."""
    for first, given in enumerate(plain):
        last = first + 1
        if last < len(plain) and len(plain[last]) == 1:
            last += 1  # an initial
        if given in GIVEN_NAMES and last < len(plain):
            yield first, last


def may_be_person(given: str, family: str) -> bool:
    """Return True if lower-case words may be a given name and a family name."""
    if given not in GIVEN_NAMES or given in SAYS_NOTHING or given in _PLACES:
        return False
    return family.isalpha() and len(family) > 2 and family not in _NO_FAMILY


def is_surely_person(given: str, family: str) -> bool:
    """Return True if one of the words of a possible name is not an English word."""
    return not is_ordinary(family) or not is_ordinary(given)


def person_clause(given: str, family: str) -> Clause:
    """Match entities whose names contain the family name and a form of the given name."""
    forms = sorted(GIVEN_NAMES[given])
    return {
        "bool": {
            "filter": [{"terms": {f"{NAME}.words": spellings}} for spellings in (forms, [family])],
            # Companies have these; persons have none.
            "must_not": [{"exists": {"field": field}} for field in ("tickers", "sic")],
        }
    }


def is_person(given: str, family: str, name: str) -> bool:
    """Return True if an entity's name is this person's, with or without other names."""
    words = _tokens(name)
    if len(words) > _MOST_OF_PERSON or not _LEGAL.isdisjoint(words):
        return False
    return family in words and not GIVEN_NAMES[given].isdisjoint(words)


def formal_name(candidate: str) -> str:
    """Return the registered name for a nickname; other names are returned as they are."""
    return _NICKNAMES.get(candidate, candidate)


def holders(
    candidate: str, entities: Iterable[tuple[str, str]], *, whole_only: bool = False
) -> tuple[str, ...]:
    """Return the CIKs of the entities (CIK and name) that a candidate names.

    They are entities with it as their whole name; otherwise, unless `whole_only`, entities whose
    name begins with it, if they are few. With `whole_only` a name may only begin with several words
    that are written as one: `Walmart` is WAL MART STORES.
    """
    wanted = _joined(core_of_name(formal_name(candidate)))
    whole: dict[str, None] = {}
    begun: dict[str, None] = {}
    for cik, name in entities:
        core = core_of_name(name)
        if not core:
            continue
        # With or without the `s` of a possessive.
        if _joined(core) in (wanted, f"{wanted}s") or f"{_joined(core)}s" == wanted:
            whole[cik] = None
        elif wanted in map(_joined, list(accumulate([word] for word in core))[whole_only:]):
            begun[cik] = None
    if whole:
        return tuple(whole) if len(whole) <= MAX_HOLDERS else ()
    few = len(begun) <= MAX_BEGUN and not is_ordinary(candidate)
    if whole_only and " " in candidate:
        return ()
    return tuple(begun) if few else ()


def _joined(words: Iterable[str]) -> str:
    return "".join(words).replace("'", "")


def _tokens(name: str) -> list[str]:
    return [part for token in tokens(name) for part in token.split(".") if part and part != "and"]


def core_of_name(name: str) -> list[str]:
    """Return the words of a company's name without its legal form, in lower case."""
    return _core(_tokens(name))


def _core(words: list[str]) -> list[str]:
    """Return the words without legal forms at either end, or all words if none are left."""
    start, end = 0, len(words)
    if words[:1] == ["the"] and end > 1:
        start = 1
    while end - 1 > start and words[end - 1] in _LEGAL:
        end -= 1
    return words[start:end]


def _may_name(words: Sequence[str], capital: bool) -> bool:
    name = " ".join(words)
    if name in FORMS_BY_NAME or not any(char.isalpha() for char in name):
        return False
    if not _is_short(name):
        return False
    if any(_NO_NAME.fullmatch(word) for word in words):
        return False
    if len(words) == 1:
        return _may_be_name(name, capital)
    says_nothing = SAYS_NOTHING | ASKS | INSTRUCTS
    if all(word in says_nothing for word in words) or words[0] in says_nothing - {"the"}:
        return False
    if all(word in _PLACES or word in _BEFORE_PLACES for word in words):
        return False
    return capital or not all(word in _SUBJECTS or word in SAYS_LITTLE for word in words)


def _is_short(name: str) -> bool:
    return len(name) <= _MOST_LETTERS and len(_tokens(name)) <= _MOST_TOKENS


# Words people use to ask about a person known by a given name alone.
_OF_PERSONS = frozenset(
    "appointed appointment biography bonus buys compensation contract county departure died"
    " dismissal emails employment fired holdings hired interview joins leaves leaving letters"
    " options ouster pay pension quits resignation resigned resigns retired retirement retires"
    " salary sells severance sold stake street successor testimony trades trading tweet tweets"
    " wealth".split()
)
# Words of subjects and of questions are not family names.
_NO_FAMILY = (
    SAYS_NOTHING
    | ASKS
    | INSTRUCTS
    | SAYS_LITTLE
    | _SUBJECTS
    | _ACRONYMS
    | _PLACES
    | GIVEN_NAMES.keys()
    | _LEGAL
    | _OF_PERSONS
)
_NEVER_NAMES = (
    SAYS_NOTHING
    | ASKS
    | INSTRUCTS
    | SAYS_LITTLE
    | GIVEN_NAMES.keys()
    | _ACRONYMS
    | _LEGAL
    | _PLACES
    | _PREFIXES
)


def _may_be_name(word: str, capital: bool) -> bool:
    if word.startswith("$") or word in _NICKNAMES:
        return True
    if word in _NEVER_NAMES:
        return False
    if capital:
        return len(word) >= _LEAST_LETTERS
    return word in _NAMES_FIRST or (len(word) >= _LEAST_SMALL_LETTERS and not is_ordinary(word))


def _runs(words: Iterable[str]) -> Iterator[list[str]]:
    """Yield runs of words without punctuation between them and without filler words."""
    run: list[str] = []
    for word in words:
        bare = word.strip("(),.;:?!\"'\u201c\u201d").removeprefix("$")
        if bare and (bare in _JOINING or plain_word(bare) not in _BETWEEN_NAMES):
            run.append(bare if not word.startswith("$") else f"${bare}")
            if not word.endswith((",", ";", ":", "?", "!")):
                continue
        yield run
        run = []
    yield run


# Words that never occur within a name.
_BETWEEN_NAMES = (SAYS_NOTHING | ASKS) - {"the"}
