"""A section of a document, as all finders return it."""

from typing import NamedTuple


class Section(NamedTuple):
    """An item of a report, from `start` to `end` of its text, in code points.

    `item` is "item1a", in a quarterly report "part2item1a", for a combined one "item1and2"; `label`
    is "Item 1A", `description` the form's title.
    """

    item: str
    label: str
    description: str
    start: int
    end: int
