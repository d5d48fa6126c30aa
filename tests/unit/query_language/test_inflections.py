"""Words that are forms of others, in the list that comes with the program."""

import os
import random

import pytest
import snowballstemmer

from edgar_search.text.inflections import (
    ENDINGS,
    MAX_FORMS,
    Inflections,
    bases,
    form_word,
    inflections,
)
from tests.support.inflections import APART, FILE, lines

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED") or random.randrange(2**32))


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("resign", {"resigned", "resigns", "resigning", "resignation", "resignations"}),
        ("resignations", {"resign", "resigned", "resignation"}),
        ("acquire", {"acquired", "acquires", "acquiring"}),
        ("impaired", {"impair", "impairment", "impairments"}),
        ("swap", {"swaps", "swapped", "swapping"}),
        ("companies", {"company", "company's"}),
        ("terminated", {"terminate", "termination", "terminations"}),
        ("lease", {"leases", "leased", "leasing"}),
        ("agree", {"agrees", "agreed", "agreeing"}),
        ("approval", {"approve", "approved"}),
        ("primary", {"primaries"}),
        ("probable", {"probably"}),
        ("economic", {"economically"}),
        ("operating", {"operate", "operation", "operations"}),
        ("loss", {"losses"}),
    ],
)
def test_inflections_of_a_word_are_its_forms(word: str, some: set[str]) -> None:
    assert some <= set(inflections().forms(word))


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("severance", "several"),
        ("officer", "office"),
        ("merge", "merger"),
        ("security", "secure"),
        ("several", "severe"),
        ("department", "depart"),
        ("acquire", "acquisition"),
        ("index", "indices"),
        ("disclose", "disclosure"),
        ("agree", "agreement"),
        ("corporation", "corporal"),
    ],
)
def test_words_of_other_endings_or_stems_are_not(word: str, other: str) -> None:
    assert other not in inflections().forms(word)
    assert word not in inflections().forms(other)


@pytest.mark.parametrize("word", ["the", "indices", "xyzzyx", "zzz"])
def test_word_without_inflections_has_no_forms(word: str) -> None:
    assert inflections().forms(word) == ()


def test_forms_are_bounded_and_the_shortest_come_first() -> None:
    made = Inflections([b"plan " + " ".join(ENDINGS[:16]).encode()])
    forms = made.forms("plan")
    assert len(forms) == MAX_FORMS
    assert list(forms) == sorted(forms, key=lambda form: (len(form), form))
    assert forms[0] == "plans"


def test_every_word_leads_back_to_its_base() -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    for line in random.Random(SEED).sample(FILE.read_text().splitlines(), 2_000):
        base, *endings = line.split(" ")
        members = [base, *(form_word(base, ending) for ending in endings)]
        for ending in endings:
            assert (base, ending) in bases(form_word(base, ending))
        for member in members:
            forms = {*inflections().forms(member)}
            assert {*members} - {member} <= forms or len(forms) == MAX_FORMS, line


def test_list_is_in_order_and_what_it_is_made_by_makes_it() -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    text = FILE.read_text().splitlines()
    assert text == sorted(text)
    families = random.Random(SEED).sample(text, 500)
    for line in families:
        base, *endings = line.split(" ")
        words = {base, *(form_word(base, ending) for ending in endings)}
        assert line in lines(words), line
        assert len(set(snowballstemmer.stemmer("english").stemWords(sorted(words)))) == 1, line


def test_what_is_set_apart_would_be_a_form_else() -> None:
    stem = snowballstemmer.stemmer("english").stemWord
    for base, others in APART.items():
        assert {stem(other) for other in others} == {stem(base)}
        assert not {*others} & {*inflections().forms(base)}
