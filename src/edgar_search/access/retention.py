"""Which months of the history are too old: by all clocks, and by what was written; pure.

A clock that jumped says nothing about what may be deleted, and on one machine Elasticsearch's jumps
with it. So months are counted from what was written before: decision 0021.
"""

from collections.abc import Collection, Sequence

from edgar_search.access.limits.months import month_after, months_before


def oldest_kept(written: Collection[str], clocks: Sequence[str], months: int) -> str:
    """The first month that is kept where `months` before the current one are.

    `written` are the months that have entries, `clocks` what clocks say the month is.
    """
    return months_before(_believed(written, min(clocks), months), months)


def _believed(written: Collection[str], clock: str, months: int) -> str:
    """The clock's month where it follows what was written before, else the newest written."""
    # What this clock itself has written proves nothing.
    earlier = [month for month in _longest_run(written, months) if month != clock]
    if not earlier or clock <= month_after(earlier[-1]):
        return clock
    return earlier[-1]


def _longest_run(written: Collection[str], gap: int) -> list[str]:
    """Months in order, none more than `gap` after the one before; of equal runs the earliest.

    What was written under a clock that was far off stands apart.
    """
    runs: list[list[str]] = []
    for month in sorted(written):
        if runs and months_before(month, gap) <= runs[-1][-1]:
            runs[-1].append(month)
        else:
            runs.append([month])
    return max(runs, key=len, default=[])
