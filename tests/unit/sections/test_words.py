"""Words found in whatever way they are written, beside a plain reading of the same rule."""

import random
import re
import time

import pytest

from ingest.reading.sections.markup import WordSearch

TAGS = rb"(?:<[^<>]*>)+"
SEED = 20_261


def expected(word: bytes, lower: bytes) -> list[int]:
    """The same by one expression for each way."""
    letters = [re.escape(word[i : i + 1]) for i in range(len(word))]
    ways = [word, word[:1] + b" " + word[1:], b" ".join(letters)]
    ways += [word[:i] + TAGS + word[i:] for i in range(1, len(word) - 1)]
    return sorted(
        match.start()
        for way in ways
        for match in re.finditer(b"(?<![a-z0-9])(?=" + way + b")", lower)
    )


@pytest.mark.parametrize(
    ("written", "begins"),
    [
        (b"item", 0),
        (b"<b>item 1", 3),
        (b"i tem", 0),
        (b"i t e m", 0),
        (b"i<font size=2>tem", 0),
        (b"(it</b><i>em", 1),
        (b"system item", 7),
        (b"\xe9item", 1),
    ],
)
def test_a_word_is_found_however_it_is_written(written: bytes, begins: int) -> None:
    assert WordSearch([b"item"]).places(written) == {b"item": [begins]}


@pytest.mark.parametrize(
    "written",
    [b"ite<b>m", b"it em", b"i t em", b"8item", b"i<b>x</b>tem", b"i<b tem", b">tem", b""],
)
def test_what_is_written_otherwise_is_not_found(written: bytes) -> None:
    assert WordSearch([b"item"]).places(written) == {b"item": []}


def test_places_are_those_of_a_plain_reading() -> None:
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    pieces = [b"item", b"part", b"i", b"t", b"tem", b"em", b"rt", b"p", b"pa", b"<b>", b"<p>"]
    pieces += [b" ", b"i t e m", b"a", b"<pre>", b"</pre>", b"."]
    search = WordSearch([b"item", b"part"], others=[b"<pre"])
    for _ in range(3_000):
        lower = b"".join(chance.choices(pieces, k=12))
        found = search.places(lower)
        assert found[b"item"] == expected(b"item", lower), lower
        assert found[b"part"] == expected(b"part", lower), lower
        assert found[b"<pre"] == [match.start() for match in re.finditer(b"<pre", lower)], lower


def test_places_across_the_edges_of_what_is_searched_at_once() -> None:
    for at in range((1 << 16) - 12, (1 << 16) + 12):
        lower = b"." * at + b"i<b>tem" + b"." * 20
        assert WordSearch([b"item"]).places(lower)[b"item"] == [at]
        assert WordSearch([b"item"]).places(lower, start=3)[b"item"] == [at]


def test_what_begins_before_the_start_is_not_found() -> None:
    search = WordSearch([b"item"])
    assert search.places(b"item item", start=1)[b"item"] == [5]
    assert search.places(b"it<b>em item", start=1)[b"item"] == [8]


def test_words_whose_matches_may_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="search for each alone"):
        WordSearch([b"exhibit", b"index"])


@pytest.mark.parametrize("size", [2_000_000, pytest.param(10_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("piece", [b"item ", b">tem", b"i t e m ", b"it<b>em", b"<pre>", b"ite"])
def test_places_and_time_are_bounded(piece: bytes, size: int) -> None:
    lower = piece * (size // len(piece))
    began = time.process_time()
    found = WordSearch([b"item"], others=[b"<pre"]).places(lower)
    assert time.process_time() - began < size / 1_000_000
    assert all(len(places) <= 50_000 for places in found.values())
