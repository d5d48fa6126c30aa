"""Figures of tables on a page, and the years above them, by their places on the screen."""

import re
from typing import Any, NamedTuple

from playwright.sync_api import Frame, Page

# Tables of a page and lines of text of one width, as rows of words with their left and right edges.
_ROWS = """() => {
  const words = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const box = range.getBoundingClientRect();
    return {text: cell.innerText.trim(), left: box.left, right: box.right};
  };
  // A tab goes on to the next eighth column, as on the screen.
  const expanded = (line) => {
    const [first, ...others] = line.split('\\t');
    const next = (done) => done.padEnd(8 * (Math.floor(done.length / 8) + 1));
    return others.reduce((done, part) => next(done) + part, first);
  };
  const tables = [...document.querySelectorAll('table')]
    .filter((table) => !table.querySelector('table'))
    .map((table) => [...table.rows].map((row) =>
      [...row.cells].map(words).filter((word) => word.text)));
  const lines = [...document.querySelectorAll('pre')].map((pre) =>
    pre.textContent.split('\\n').map(expanded).map((line) =>
      [...line.matchAll(/\\S+(?: \\S+)*/g)].map((word) => ({
        text: word[0], left: word.index, right: word.index + word[0].length}))));
  return [...tables, ...lines];
}"""
_MOST_BELOW = 60  # rows of a statement below its years


class Figures(NamedTuple):
    """Figures that were compared, and those nearer to another year than to their own."""

    compared: int
    wrong: list[str]


def figures_under_years(page: Page | Frame) -> Figures:
    """Compare the figures in all rows that have one for each year of the row of years above."""
    compared, wrong = 0, []
    for rows in page.evaluate(_ROWS):
        years: list[dict[str, Any]] = []
        below = 0
        for row in rows:
            found = [word for word in row if _is_year(word["text"])]
            if len(found) > 1:
                # Quarters of a year have the same one: nothing can be said of what is below.
                distinct = len({word["text"][-4:] for word in found}) == len(found)
                years, below = found if distinct else [], 0
                continue
            if any(_YEAR.search(word["text"]) for word in row) and len(row) > 1:
                years = []  # of another head, whose years are in other words
            below += 1
            if not any(_is_figure(word["text"]) for word in row) and len(row) > len(years) + 1:
                years = []  # each is over several columns, whose own heads these are
            figures = [word for word in row if _is_figure(word["text"])]
            if not years or len(figures) != len(years) or below > _MOST_BELOW:
                continue
            for number, figure in enumerate(figures):
                compared += 1
                if _nearest(figure, years) != number:
                    wrong.append(f"{years[number]['text']}: {' '.join(w['text'] for w in row)}")
    return Figures(compared, wrong)


def _nearest(figure: dict[str, Any], years: list[dict[str, Any]]) -> int:
    apart = [abs(_middle(figure) - _middle(year)) for year in years]
    return apart.index(min(apart))


def _middle(word: dict[str, Any]) -> float:
    return float(word["left"] + word["right"]) / 2


def _is_year(text: str) -> bool:
    return _YEAR.fullmatch(text) is not None


def _is_figure(text: str) -> bool:
    """True for an amount, and for a dash in the place of one."""
    return _FIGURE.fullmatch(text) is not None and not _is_year(text)


_YEAR = re.compile(r"(?:[A-Z][a-z]+\.? [0-9]{1,2}, )?(?:19|20)[0-9]{2}(?: ?\([0-9]\))?")
_FIGURE = re.compile(
    r"\(?\$? ?\(?[0-9][0-9,]*(?:\.[0-9]+)?\)?%?|\$? ?[-\u2013\u2014]{1,3}|[\u2014-]"
)
