"""Markdown as the pages of docs/ have it."""

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 115


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return cells as a table of Markdown, all columns but the first to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def wrap(text: str) -> str:
    """Return the same with the lines of its paragraphs filled; tables, lists and titles stay."""
    parts = text.strip("\n").split("\n\n")
    return (
        "\n\n".join(
            part if part.startswith(("|", "#", "-", "!")) else _fill(part) for part in parts
        )
        + "\n"
    )


def _fill(paragraph: str) -> str:
    return textwrap.fill(
        " ".join(paragraph.split()), WIDTH, break_long_words=False, break_on_hyphens=False
    )
