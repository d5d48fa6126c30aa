"""Quotes: exact, normalised, nearest, absent."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import log
from random import Random

import pytest

from edgar_search.document.quotes import ABSENT, CheckedQuote, cuts_a_word, find_quote

TEXT = (
    "Item 9. The Company’s auditor is Deloitte &\n Touche LLP, which has “served” since 2010. "
    + "Basalt was hewn at the quarry. " * 50
)


@pytest.mark.parametrize(
    ("quote", "verdict", "text"),
    [
        ("auditor is Deloitte &", "exact", "auditor is Deloitte &"),
        (" auditor is Deloitte & Touche", "normalised", "auditor is Deloitte &\n Touche"),
        ("Company's auditor is", "normalised", "Company’s auditor is"),
        ('which has "served" since 2010', "normalised", "which has “served” since 2010"),
        # Numbers, names and negations that differ make it another sentence.
        ("served” since 2011. Basalt was hewn", "nearest", "“served” since 2010. Basalt was hewn"),
        ("auditor is not Deloitte & Touche", "nearest", "auditor is Deloitte &\n Touche"),
        ("AUDITOR IS DELOITTE", "absent", ""),
        ("revenue rose by twelve percent to $4 million", "absent", ""),
    ],
)
def test_quote_is_exact_normalised_nearest_or_absent(quote: str, verdict: str, text: str) -> None:
    found = find_quote(TEXT, quote)
    assert (found.verdict, found.text) == (verdict, text)
    if found.start is not None:
        assert TEXT[found.start : found.end] == text
        assert (found.similarity == 1.0) == (verdict != "nearest")


def test_quote_of_pattern_characters_is_taken_as_it_is() -> None:
    assert find_quote("a (b+c)* [d] costs $5.00", "(b+c)*  [d] costs").verdict == "normalised"
    assert find_quote("", "twelve characters") == ABSENT == CheckedQuote("absent")


# A quote that ends at the bar of a text says another word, or another number.
CUT_ENDS = (
    *("was $38|12", "was $3|.81", "was $3.|81", "was 12|.5", "was 1,234|,567", "was 1,|234"),
    *(
        "fell to -|5",
        "fell -5|.2",
        "was $|38",
        "was 5|%",
        "was 5| %",
        "a loss of (1,234|)",
        "(1.3|)%",
    ),
    *("in 10|-K405", "a rate of 6| 1/2%", "a rate of 6 1|/2%", "a rate of 6|½%", "at 10|:30 a.m."),
    *("on 3|/31/2024", "from 5|–7 dollars", "a non|-recurring gain", "a non-|recurring gain"),
    *("the caf|é at", "the cafe|\u0301 at", "the company|'s own", "the company’|s own", "do n|’t"),
    *(
        "of AT|&T Inc",
        "and|/or",
        "the U|.S. dollar",
        "the U.|S. dollar",
        "for e|.g. tin",
        "Reve|nue",
    ),
)
WHOLE_ENDS = (
    *(
        "was $5| million",
        "was $3.81|.",
        "was $3.81|. The",
        "was 1,234|, and",
        "in 2023| and",
        "was 5%| of",
    ),
    *(
        "432|³ metres",
        "was 1,234|(1)",
        "sold tin|—and lead",
        "sold tin|--and lead",
        "the companies|' own",
    ),
    *(
        "it ended.|The next",
        "the U.S|. dollar",
        "a loss of (1,234)| in",
        "he said |“we",
        "中文|字",
        "to 6 or| 1/2",
    ),
)
CUT_STARTS = (
    "of (|1,234) in",
    "fell -|5 to",
    "was 3|.81",
    "non-|recurring",
    "was $38|12",
    "6 |1/2%",
    "1,|234",
)
WHOLE_STARTS = (
    "was |$38",
    "was $|38",
    "all (|15% of sales)",
    "tin—|and lead",
    "fell |-5",
    "sold.|The",
    "“|We",
)


@pytest.mark.parametrize("text", CUT_ENDS)
def test_quote_that_ends_within_a_word_or_a_number_is_no_quote(text: str) -> None:
    said, whole = f"In the year it {text.partition('|')[0]}".rstrip(), f"In the year it {text}"
    found = find_quote(whole.replace("|", ""), said)
    assert found.verdict == "nearest"
    assert found.similarity < 1
    assert cuts_a_word(text.replace("|", ""), 0, text.index("|"))


@pytest.mark.parametrize("text", WHOLE_ENDS)
def test_quote_that_ends_with_a_word_or_a_number_is_exact(text: str) -> None:
    said, whole = f"In the year it {text.partition('|')[0]}", f"In the year it {text}"
    assert find_quote(whole.replace("|", ""), said).verdict == "exact"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(each, "nearest") for each in CUT_STARTS] + [(each, "exact") for each in WHOLE_STARTS],
)
def test_quote_that_begins_within_a_word_or_a_number_is_no_quote(text: str, verdict: str) -> None:
    before, _, after = text.partition("|")
    assert find_quote(f"{before}{after} in the year.", f"{after} in the year.").verdict == verdict


def test_quote_is_found_whole_behind_places_where_it_is_cut() -> None:
    text = "cash was $3812, cash was $38.1, cash was  $381, and cash was $38 at the end"
    assert find_quote(text, "cash was $38") == CheckedQuote("exact", 52, 64, "cash was $38", 1.0)
    text = text.replace("and cash was", "and cash  was")
    assert find_quote(text, "cash was $38").verdict == "normalised"


def test_quote_at_the_edge_of_a_part_is_left_to_the_part_that_has_what_follows() -> None:
    text, quote = "The whole of its cash was $38", "its cash was $38"
    assert find_quote(text, quote).verdict == "exact"
    assert find_quote(text, quote, goes_on=(False, True)).verdict == "nearest"
    assert find_quote(quote, quote, goes_on=(True, False)).verdict == "nearest"


def test_time_to_check_places_that_are_cut_grows_with_the_text() -> None:
    def seconds(times: int) -> float:
        text = "aa a a a a a aa" * times
        before = time.process_time()
        assert find_quote(text, "a a a a a a a").verdict == "nearest"
        return time.process_time() - before

    seconds(100)
    assert seconds(6_000) < 12 * seconds(1_500)


COMMON = "the of and to in a company shares stock or for by as under any this year net".split()


def alike(length: int) -> tuple[str, str]:
    """Return a text of one word, and a quote that is nearly that."""
    return "a b " * (length // 4), "a " * 999 + "c"


def random_words(length: int) -> tuple[str, str]:
    """Return the most common words in another order than the quote has them."""
    random = Random(length)
    words = [random.choice(COMMON) for _ in range(length // 4)]
    return " ".join(words)[:length], " ".join(random.sample(words, 600))[:2_000]


def blanks(length: int) -> tuple[str, str]:
    """White space without an end between two words of the quote."""
    return "a" + " \t" * (length // 2), "a b" + " c" * 900


@pytest.mark.parametrize("made", [alike, random_words, blanks])
def test_time_for_a_quote_grows_as_the_text(made: Callable[[int], tuple[str, str]]) -> None:
    lengths, seconds = (25_000, 50_000, 100_000), []
    for length in lengths:
        text, quote = made(length)
        runs = []
        for _ in range(5):
            began = time.process_time()
            find_quote(text, quote)
            runs.append(time.process_time() - began)
        seconds.append(min(runs))
    # Some hundred comparisons are the same for each text: the exponent is 1 at most.
    growth = log(seconds[-1] / seconds[0]) / log(lengths[-1] / lengths[0])
    assert growth < 1.4, seconds
    # It took 1.4 s for `alike`, 0.5 s for `random_words`.
    assert seconds[-1] < 0.3


def test_thread_that_looks_for_a_quote_leaves_turns_to_others() -> None:
    text, quote = alike(1_000_000)
    turns: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(find_quote, text, quote)
        while not looking.done():
            # Of this process alone: a busy machine gives other processes their turns too.
            turns.append(time.process_time())
            time.sleep(0.0005)
    assert looking.result().verdict == "nearest"
    gaps = sorted(later - turn for turn, later in pairwise(turns))
    # One call of a library that looks through all of it would leave none for a second.
    assert gaps[len(gaps) // 2] < 0.02 and len(turns) > 2


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("burned for 38 days", "exact"),
        ("burned  for 38\ndays", "normalised"),
        ("burned for 83 days", "absent"),
    ],
)
def test_without_what_is_nearest_only_the_words_count(quote: str, verdict: str) -> None:
    text = "The kiln burned for 38 days."
    assert find_quote(text, quote, nearest=False).verdict == verdict
