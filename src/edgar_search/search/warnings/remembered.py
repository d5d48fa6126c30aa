"""Values that were met, so many at most."""

from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Remembered(Generic[T]):
    """A set of values; beyond `most` those that came first are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[T, None] = {}

    def __contains__(self, value: T) -> bool:
        return value in self._values

    def add(self, values: Iterable[T]) -> None:
        """Take note of values."""
        self._values.update(dict.fromkeys(values))
        beyond = len(self._values) - self._most
        for value in list(islice(self._values, max(0, beyond))):
            del self._values[value]
