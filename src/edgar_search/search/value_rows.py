"""Values that stand on lines of their own, as those of EDGAR's forms in XML, as a row of cells."""

import re

from edgar_search.text.rules import CELL_SEPARATOR

# So many short lines one after another, half of them of one word or figure, are values: a record of
# a fund's holdings, a person with an address, what a schedule of figures has. Sentences that were
# wrapped have longer lines, addresses and signatures more words in each.
_LONGEST, _LEAST_LINES = 60, 6
_LEAST_SHARE = 0.5
_MOST_PER_LINE = 35  # characters of a text in which it is worth looking
_RUN = re.compile(
    rf"(?<![^\n])[^\n{CELL_SEPARATOR}]{{1,{_LONGEST}}}+"
    rf"(?>(?:\n[^\n{CELL_SEPARATOR}]{{1,{_LONGEST}}}+(?![^\n])){{{_LEAST_LINES - 1},}})"
)


def with_value_rows(text: str) -> str:
    """Return `text` with values apart by CELL_SEPARATOR instead of line ends; as long as it was."""
    if text.count("\n") * _MOST_PER_LINE < len(text):
        return text
    return _RUN.sub(_row, text)


def _row(run: re.Match[str]) -> str:
    lines = run[0].split("\n")
    single = sum(1 for line in lines if " " not in line)
    return CELL_SEPARATOR.join(lines) if single >= _LEAST_SHARE * len(lines) else run[0]
