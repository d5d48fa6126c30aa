"""Many things in parts that are not too large; pure."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def chunks(
    items: Iterable[T],
    most: int | None = None,
    *,
    size: Callable[[T], int] = lambda item: 0,
    most_size: int = 0,
) -> Iterator[list[T]]:
    """All items in their order, in lists of at most `most`, whose sizes add up to `most_size`.

    None for `most` is any number. An item that is larger than `most_size` is a list alone.
    """
    chunk: list[T] = []
    total = 0
    for item in items:
        length = size(item)
        if chunk and (len(chunk) == most or total + length > most_size):
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += length
    if chunk:
        yield chunk
