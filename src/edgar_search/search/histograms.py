"""Histograms: how many of the reports that a search finds fall into each range of a figure."""

import math
from collections.abc import Collection

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Bucket, Buckets
from edgar_search.search.facets import Quantiles, of_reports, quantiles_body, ranges_body
from edgar_search.search.query.matching import Clause

# Bars of a histogram. All but the outer two have the same width, and hold nine in ten reports.
BARS = 12
_PERCENTS = (5.0, 95.0)


class ScreenHistogram(Struct):
    """The distribution of a column over all reports found, in one currency.

    `counts` are the numbers of reports below the first of `edges`, between two of them, from the
    lower one up to the higher, exclusive, and from the last one on.
    """

    edges: list[float]
    counts: list[int]


async def count_histograms(
    engine: Engine, query: Clause, fields: Collection[str], currency: str
) -> dict[str, ScreenHistogram]:
    """Return a histogram of each field that any report has; two engine requests.

    Only reports in the given currency count, or in any.
    """
    if not fields:
        return {}
    body = quantiles_body(query, fields, currency, _PERCENTS)
    quantiles_found = await of_reports(engine, body, Quantiles)
    edges = {
        field: _edges(
            *(value for quantile in quantiles.values if (value := quantile.value) is not None)
        )
        for field, quantiles in quantiles_found.items()
        if all(quantile.value is not None for quantile in quantiles.values)
    }
    if not edges:
        return {}
    counted = await of_reports(engine, ranges_body(query, edges, currency), Buckets[Bucket])
    return {
        field: ScreenHistogram(edges[field], [bucket.count for bucket in ranges.buckets])
        for field, ranges in counted.items()
    }


def _edges(low: float, high: float) -> list[float]:
    """Return equidistant edges with few digits, from below one number to above the other."""
    wide = (high - low) / (BARS - 2)
    if not math.isfinite(wide) or wide <= abs(low) * 1e-9:
        return [float(f"{low:.6g}")]
    step = float(f"{wide:.1e}")
    first = math.floor(low / step)
    return [float(f"{(first + place) * step:.6g}") for place in range(BARS - 1)]
