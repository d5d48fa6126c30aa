"""Histograms: how many of the reports that a search finds have a figure in each of some ranges."""

import math
from collections.abc import Collection
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.search.facets import (
    Quantiles,
    Ranges,
    of_reports,
    quantiles_body,
    ranges_body,
)
from edgar_search.search.query.matching import Clause

# Bars of a histogram. The middle ones have the same width, and together nine of ten reports.
BARS = 12
_PERCENTS = (5.0, 95.0)


class Histogram(NamedTuple):
    """Counts of reports below the first edge, between two edges, and from the last one on."""

    edges: list[float]
    counts: list[int]


async def count_histograms(
    engine: Engine, query: Clause, fields: Collection[str], currency: str
) -> dict[str, Histogram]:
    """Return the histogram of each of these fields that a report has; two engine requests.

    Figures are of the reports in one currency, or in any.
    """
    if not fields:
        return {}
    body = quantiles_body(query, fields, currency, _PERCENTS)
    found = await of_reports(engine, body, Quantiles)
    edges = {
        field: _edges(*(value for each in quantiles.values if (value := each.value) is not None))
        for field, quantiles in found.items()
        if all(each.value is not None for each in quantiles.values)
    }
    if not edges:
        return {}
    counted = await of_reports(engine, ranges_body(query, edges, currency), Ranges)
    return {
        field: Histogram(edges[field], [each.number for each in ranges.buckets])
        for field, ranges in counted.items()
    }


def _edges(low: float, high: float) -> list[float]:
    """Return edges of one distance with few digits, from below one number to above the other."""
    wide = (high - low) / (BARS - 2)
    if not math.isfinite(wide) or wide <= abs(low) * 1e-9:
        return [float(f"{low:.6g}")]
    step = float(f"{wide:.1e}")
    first = math.floor(low / step)
    return [float(f"{(first + place) * step:.6g}") for place in range(BARS - 1)]
