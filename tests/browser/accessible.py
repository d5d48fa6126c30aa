"""An open page in several windows, light and dark: does it fit, and is it accessible?"""

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What is filed is in a frame, and is as it was filed. All rules are tried; the places where one is
# kept are not listed, which for a long page takes longer than to look at it.
# Axe asks for the size of targets, 24 px or as far apart, only if it is told to.
_LIGHT = {
    "iframes": False,
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},
}
# What is in a page, and how large, is the same in the dark.
_DARK = _LIGHT | {"runOnly": ["color-contrast"]}
_AXE = Axe()


def find_faults(page: Page, windows: Mapping[str, tuple[int, int]]) -> list[tuple[str, ...]]:
    """Describe what is beyond each window, and which rules of Axe are broken by which elements."""
    found: list[tuple[str, ...]] = []
    for name, (width, height) in windows.items():
        page.set_viewport_size({"width": width, "height": height})
        if page.evaluate("document.documentElement.scrollWidth - window.innerWidth") != 0:
            found.append((name, "beyond the window"))
        page.emulate_media(color_scheme="light")
        found += [(name, "light", *violation) for violation in _violations(page, _LIGHT)]
        page.emulate_media(color_scheme="dark")
        found += [(name, "dark", *violation) for violation in _violations(page, _DARK)]
    return found


def _violations(page: Page, options: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (each["id"], node["html"][:120])
        for each in _AXE.run(page, options=options).response["violations"]
        for node in each["nodes"]
    ]
