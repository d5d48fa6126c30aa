"""How warnings show what was sent."""

from collections.abc import Sequence

# What was sent may be anything; a sentence stays one.
MAX_SHOWN = 40
# Of one kind; the others are counted.
MAX_OF_A_KIND = 5


def shown(value: str) -> str:
    """A value as sentences show it: of a long one the beginning."""
    return value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN] + "..."


def with_nearest(value: str, nearest: str | None) -> str:
    """A value that nothing here has, and the one that was probably meant, where there is one."""
    return shown(value) + (f"; the nearest is {nearest}" if nearest else "")


def bounded(name: str, sentences: Sequence[str]) -> list[str]:
    """The first sentences on the values of a parameter, and how many there are beyond."""
    more = len(sentences) - MAX_OF_A_KIND
    if more <= 0:
        return list(sentences)
    return [*sentences[:MAX_OF_A_KIND], f"{name}: the same of {more} more"]
