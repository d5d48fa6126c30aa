"""An open page in several windows, light and dark: does it fit, and is it accessible?"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What is filed is in a frame, and is as it was filed. All rules are tried; the places where one is
# kept are not listed, which for a long page takes longer than to look at it.
# Axe asks for the size of targets, 24 px or as far apart, only if it is told to.
_OPTIONS: dict[str, Any] = {
    "iframes": False,
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},
}
_AXE = Axe()
_RUN = """options => axe.run(options).then(found => found.violations.flatMap(
    rule => rule.nodes.map(node => [rule.id, node.html.slice(0, 120)])))"""
EVERY_LOOK = pytest.mark.parametrize(
    "every_look", [False, pytest.param(True, marks=pytest.mark.long)]
)


class Look(NamedTuple):
    """The name of a window, and the colours that its reader prefers."""

    window: str
    colours: Literal["light", "dark"]


def looks(path: str, windows: Iterable[str], every_look: bool) -> list[Look]:
    """Return every look at a page, or two: each window and colour once, paired by the path.

    Axe takes a second or two for a look. The pages share their styles, so that in the second case
    too each window has pages in each colour.
    """
    if every_look:
        return [Look(window, colours) for window in windows for colours in ("light", "dark")]
    if len(path) % 2:
        return [Look("narrow", "light"), Look("wide", "dark")]
    return [Look("narrow", "dark"), Look("wide", "light")]


def find_faults(
    page: Page, windows: Mapping[str, tuple[int, int]], looked: Iterable[Look]
) -> list[tuple[str, ...]]:
    """Describe what is beyond each window, and which rules of Axe are broken by which elements."""
    found: list[tuple[str, ...]] = []
    for name, size in windows.items():
        _resize(page, size)
        if page.evaluate("document.documentElement.scrollWidth - window.innerWidth") != 0:
            found.append((name, "beyond the window"))
    page.evaluate(_AXE.axe_script)
    for window, colours in looked:
        _resize(page, windows[window])
        page.emulate_media(color_scheme=colours)
        found += [(window, colours, *violation) for violation in page.evaluate(_RUN, _OPTIONS)]
    return found


def _resize(page: Page, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
