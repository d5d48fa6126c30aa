"""Comparisons of texts: what changed, moved and stayed; any texts; bounded time."""

import random
import time

import pytest

from edgar_search.document.comparison import Change, compare, nearest_part

MOVED = "Paper burns, and nobody is insured against a fire in any of our twelve mills."
Shown = tuple[str, str, str]


def shown(first: str, second: str) -> list[tuple[Shown, list[Shown]]]:
    def words(change: Change) -> Shown:
        return (
            change.kind,
            first[change.start : change.end],
            second[change.to_start : change.to_end],
        )

    return [(words(each.change), list(map(words, each.words))) for each in compare(first, second)]


def test_words_of_a_changed_paragraph_are_told() -> None:
    before, now = "We have 12 mills in Ohio.", "We have 14 large mills in Ohio, and a yard."
    assert shown(f"One.\n{before}\nTwo.", f"One.\n{now}\nTwo.") == [
        (
            ("changed", before, now),
            [("changed", "12", "14 large"), ("added", "", ", and a yard")],
        )
    ]


def test_paragraphs_are_added_and_removed_at_their_places() -> None:
    found = compare("Moss.\n\nFern grows.\n\nOak.", "Moss.\n\nOak.\n\nElm is new.\nAsh too.")
    assert [each.change for each in found] == [
        Change("removed", 7, 18, 5, 5),
        Change("added", 24, 24, 13, 33),
    ]


def test_moved_paragraph_is_matched() -> None:
    stays = "The wind blows sheets from the yards.\nRain wets what lies there."
    assert shown(f"{MOVED}\n{stays}", f"{stays}\n{MOVED}") == [(("moved", MOVED, MOVED), [])]


def test_row_of_a_table_is_compared_by_its_cells() -> None:
    ((_, words),) = shown("Sales\t139.4\t143.9\nEnd", "Sales\t151.0\t139.4\nEnd")
    assert words == [("changed", "139.4", "151.0"), ("changed", "143.9", "139.4")]


def test_white_space_and_numbers_of_pages_are_no_change() -> None:
    first = "Moss  grows\there.\n\n16\n\nTable of Contents\n\nFern."
    assert compare(first, " Moss grows here.\nFern.\nF-7\n") == []


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("", "", []),
        ("", "Moss.", [("added", "", "Moss.")]),
        ("Moss.", "", [("removed", "Moss.", "")]),
    ],
)
def test_empty_text_is_a_text(first: str, second: str, found: list[Shown]) -> None:
    assert [each for each, _ in shown(first, second)] == found


def rebuilt(first: str, second: str) -> list[str]:
    """Return the words of the second text, made of the first one by the changes, without moves."""
    out: list[str] = []
    at = 0
    changes = [c for each in compare(first, second) for c in each.words or [each.change]]
    for change in changes:
        out += [*first[at : change.start].split(), *second[change.to_start : change.to_end].split()]
        at = change.end
    return [*out, *first[at:].split()]


def lines(source: random.Random) -> list[list[str]]:
    words = ["moss", "fern,", "12.5", "oak.", "(7)", "elm"]
    return [source.choices(words, k=source.randint(1, 9)) for _ in range(9)]


def test_changes_make_the_second_text_of_the_first() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(300):
        first, other = lines(source), lines(source)
        pairs = zip(first, other, strict=True)
        second = [source.choice([line, line, line[1:] or line, made]) for line, made in pairs]
        texts = ["\n".join(map(" ".join, some)) for some in (first, second)]
        assert "".join(rebuilt(*texts)) == "".join(texts[1].split())


RANDOM = random.Random(68)
WORDS = [f"w{number}" for number in range(999)]
HOSTILE = {
    "one word": ("moss " * 400_000, "moss " * 399_990),
    "one word, another word": ("moss " * 100_000, "fern " * 100_000),
    "no blank": ("x" * 500_000, "x" * 499_999 + "y"),
    "lines of one letter": ("a\n" * 100_000, "b\n" * 100_000),
    "lines of two letters": tuple("\n".join(RANDOM.choices("ab", k=100_000)) for _ in range(2)),
    "lines in another order": tuple(
        "\n".join(RANDOM.sample([f"n{n}" for n in range(60_000)], 60_000)) for _ in range(2)
    ),
    "other words": tuple(
        "\n".join(" ".join(RANDOM.choices(WORDS, k=60)) for _ in range(1_000)) for _ in range(2)
    ),
    "one line": tuple(" ".join(RANDOM.choices(WORDS, k=60_000)) for _ in range(2)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_time_of_hostile_texts_is_bounded(kind: str) -> None:
    first, second = HOSTILE[kind]
    began = time.process_time()
    found = compare(first, second)
    assert time.process_time() - began < 5
    assert found
    for change, words in found:
        for each in (change, *words):
            assert change.start <= each.start <= each.end <= change.end <= len(first)
            assert change.to_start <= each.to_start <= each.to_end <= change.to_end <= len(second)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("The mill may be sold to anybody", "The mill may not be sold to\nanybody"),
        ("Mills burned down in 2011", "Mills burned down in 2012"),
        ("Paper burned down in 2012", "Mills burned down in 2012"),
        ("kilns quarries", ""),
    ],
)
def test_nearest_part_is_of_whole_words_with_those_that_stand_for_others(
    words: str, part: str
) -> None:
    text = f"{MOVED} The mill may not be sold to\nanybody else. Mills burned down in 2012."
    likeness, start, end = nearest_part(words, text)
    assert text[start:end] == part
    assert (likeness > 0.6) == bool(part)


@pytest.mark.parametrize("filler", ["it is so\n", "so_it_is", "a-b's 3,812. "])
@pytest.mark.parametrize("before", [0, 1, 399, 9_001])
def test_nearest_part_is_found_anywhere_in_a_long_text(filler: str, before: int) -> None:
    text = f"{filler * before} The mill of Ohio was sold in 2012, {filler * 2_000}"
    likeness, start, end = nearest_part("The mill of Ohio was not sold in 2012", text)
    assert text[start:end] == "The mill of Ohio was sold in 2012"
    assert likeness > 0.9


def test_nearest_part_of_repeated_words_is_the_one_that_has_them_together() -> None:
    text = "mill of the paper " * 500 + "the mill of paper of the year is here. " + "the of " * 500
    assert nearest_part("mill of paper of the year", text)[0] == 1.0
