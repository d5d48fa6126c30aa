"""Finds the known value that was probably meant by an unknown one, and words the suggestion."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from edgar_search.search.tickers import TickerTable

# A value may be long; the warning stays one sentence.
MAX_SHOWN = 40
# The most warnings of one kind; the others are only counted.
MAX_OF_A_KIND = 5


def shorten(value: str) -> str:
    """Shorten a long value for use in a sentence."""
    return value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN] + "..."


def with_nearest(value: str, nearest: str | None) -> str:
    """Return an unknown value, followed by the one that was probably meant, if any."""
    return shorten(value) + and_nearest(nearest)


def and_nearest(nearest: str | None) -> str:
    """Return the end of a sentence about an unknown value, or "" without a suggestion."""
    return f"; the nearest is {nearest}" if nearest else ""


class SearchWarning(NamedTuple):
    """A warning: its parameter, and a sentence without the parameter's name.

    `instead` is the word that was probably meant, if the warning is about a word of the query.
    """

    about: str
    text: str
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.about}: {self.text}"


class RowWarning(NamedTuple):
    """A warning of an answer of rows: a whole sentence.

    It is about a parameter, a report by its accession number, a quarter or a company by its CIK.
    """

    about: str
    text: str

    def __str__(self) -> str:
        return self.text


def unknown_in_rows(parameter: str, value: str, nearest: str | None = None) -> RowWarning:
    """Warn about a value that no row has."""
    return RowWarning(parameter, f"unknown {parameter}: {value}{and_nearest(nearest)}")


def name_first(about: str, texts: Sequence[str]) -> list[SearchWarning]:
    """Warn about the first values of a parameter, and count the others."""
    more = len(texts) - MAX_OF_A_KIND
    sentences = list(texts[:MAX_OF_A_KIND])
    if more > 0:
        sentences.append(f"the same is true of {more} more values")
    return [SearchWarning(about, text) for text in sentences]


_BEYOND_PLAIN = re.compile("[^A-Z0-9]+")
_DIGITS = re.compile("[0-9]+")
_FORM = "FORM"
# A shorter text occurs in nearly everything, or is one letter away from it.
_MIN_FORM, _MIN_TICKER = 3, 4
# In a shorter word, two changed letters are too many.
_SHORT_WORD = 8
_LETTERS = re.compile(r"[^\W\d_]+")


def nearest_form(form_type: str, counts: Mapping[str, int]) -> str | None:
    """Find the form type that another spelling means, given the numbers of filings by form type.

    It has the same letters and digits (`10K`), or begins or ends with them (`13F`), or is one
    letter away with the same digits. Of several it is the most common, and not an amendment if
    possible.
    """
    text = _plain_form(form_type)
    spellings = {known: _plain(known) for known in counts}
    same = [known for known, plain in spellings.items() if plain == text]
    if not same and len(text) >= _MIN_FORM:
        same = [
            known
            for known, plain in spellings.items()
            if plain.startswith(text) or plain.endswith(text)
        ] or _one_letter_away(text, spellings)
    return min(same, key=lambda each: (each.endswith("/A"), -counts[each], each), default=None)


def nearest_ticker(ticker: str, table: TickerTable) -> str | None:
    """Return the ticker that this one is a typo of; if several fit, the largest company's.

    Two letters are swapped; or, from four letters on, one letter is wrong, missing or superfluous.
    If that changes which letters it has, only the largest companies qualify: among ten thousand
    tickers hardly any four letters are far from all others. The first letter must be right.
    """
    known = table.beginning_with(ticker[:1])
    matches = process.extract(ticker, known, scorer=OSA.distance, score_cutoff=1, limit=None)
    ranks = [
        (not table.is_large(candidate), strangeness, place)
        for candidate, _, place in matches
        if (strangeness := _strangeness(ticker, candidate))
        <= _most_edits(ticker, table.is_large(candidate))
    ]
    return known[min(ranks)[-1]] if ranks else None


def nearest_word(word: str, counts: Mapping[str, int]) -> str | None:
    """Find the word that this one is a typo of, given the numbers of documents by word.

    It is one letter away, two if the word is long; of several the most common wins. A word with a
    digit is not treated as a typo, because numbers are all alike.
    """
    most = 1 if len(word) < _SHORT_WORD else 2
    if not _LETTERS.fullmatch(word):
        return None
    letters = [count for count in counts if _LETTERS.fullmatch(count)]
    matches = process.extract(word, letters, scorer=OSA.distance, score_cutoff=most, limit=None)
    return min(
        (candidate for candidate, _, _ in matches),
        key=lambda candidate: (OSA.distance(word, candidate), -counts[candidate], candidate),
        default=None,
    )


def nearest_name(words: str, names: Sequence[str], *, least: float = 0) -> str | None:
    """Find the name most similar to these words.

    None if no name is at least `least` percent similar.
    """
    match = process.extractOne(
        words, names, scorer=fuzz.token_set_ratio, processor=str.casefold, score_cutoff=least
    )
    return match[0] if match else None


def _most_edits(ticker: str, large: bool) -> int:
    if len(ticker) < _MIN_TICKER:
        return 0
    return 2 if large else 1


def _strangeness(ticker: str, known: str) -> int:
    """Return 0 for the same letters in another order, 1 if only repeats differ, otherwise 2."""
    if sorted(ticker) == sorted(known):
        return 0
    return 1 if set(ticker) == set(known) else 2


def _one_letter_away(text: str, spellings: Mapping[str, str]) -> list[str]:
    matches = process.extract(text, spellings, scorer=OSA.distance, score_cutoff=1, limit=None)
    digits = _DIGITS.findall(text)
    # Another number is another form: 11-K is not a typo of 10-K.
    return [known for plain, _, known in matches if _DIGITS.findall(plain) == digits]


def _plain_form(form_type: str) -> str:
    plain = _plain(form_type)
    return plain.removeprefix(_FORM) or plain


def _plain(form_type: str) -> str:
    return _BEYOND_PLAIN.sub("", form_type.upper())
