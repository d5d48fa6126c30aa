"""Passages beside others, as far as is needed."""

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import NamedTuple

from edgar_search.search.texts.passages import Passages
from edgar_search.stored.passage import StoredPassage

# By their numbers.
Near = MutableMapping[int, StoredPassage]


class Need(NamedTuple):
    """What passages beside another must add up to on each side, by what each text is worth."""

    least: int
    worth: Callable[[str], int]


async def add_neighbours(
    passages: Passages, near: Near, numbers: Iterable[int], need: Need, known: int = -1
) -> None:
    """Read what is missing beside each of the numbers, until that is enough on both sides.

    Nothing is missing before and behind the text, and nothing up to the number `known`, which is
    no longer at hand and so is worth nothing.
    """
    numbers = list(numbers)
    worth: dict[int, int] = {}
    while True:
        for number in near.keys() - worth.keys():
            worth[number] = need.worth(near[number].text)
        lacking = {
            lacking
            for number in numbers
            for side in (range(number - 1, known, -1), range(number + 1, passages.text.passages))
            for lacking in _lacking(side, worth, need.least, known)
        }
        if not lacking:
            return
        near.update({each.number: each for each in await passages.numbered(lacking)})


def _lacking(side: range, worth: MutableMapping[int, int], least: int, known: int) -> Iterator[int]:
    """The next passages to be read on one side: as many as were not enough, and one more."""
    total = 0
    for distance, number in enumerate(side):
        if total >= least:
            return
        if number > known and number not in worth:
            yield from side[distance : 2 * distance + 1]
            return
        total += worth.get(number, 0)
