"""Screens in a browser: a drag over a histogram filters its column, and so do two fields."""

import httpx
import pytest

from tests.browser.conftest import Visit, press

FIGURES, COLUMNS = "revenue>0", "company,revenue,revenue_change"
SCREEN = f"/screen?figures={FIGURES}&columns={COLUMNS}"
CHART = "svg[data-edges]"


def conditions(visit: Visit) -> list[str]:
    return httpx.URL(visit.page.url).params["figures"].split(",")


def test_drag_over_a_histogram_filters_its_column(visit: Visit) -> None:
    page = visit.go(SCREEN)
    chart = page.locator(CHART).first
    edges = (chart.get_attribute("data-edges") or "").split()
    box = chart.bounding_box()
    assert box is not None and len(edges) > 2
    bar = box["width"] / (len(edges) + 1)
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + bar * 1.5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + bar * 2.5, middle, steps=3)
    with page.expect_navigation():
        page.mouse.up()
    assert conditions(visit) == [FIGURES, f"revenue>={edges[0]}m", f"revenue<={edges[2]}m"]
    assert page.locator(".chip").count() >= 3
    assert visit.wrong == []


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without"])
def test_two_fields_filter_a_column(visit: Visit, script: bool) -> None:
    if not script:
        visit.page.route("**/*.mjs", lambda route: route.abort())
    page = visit.go(SCREEN)
    page.locator(".hist summary").first.click()
    page.fill("input[name='least.revenue']", "0.5")
    press(page, ".hist[open] button")
    assert conditions(visit) == [FIGURES, "revenue>=0.5m"]
