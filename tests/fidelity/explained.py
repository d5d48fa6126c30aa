"""The reasons why the two sides of a comparison differ.

The tests hold these tables both ways: a difference that no pattern finds fails, and so does a
pattern that finds no difference.
"""

import re
from collections.abc import Iterable

HAND_CUT = "its publisher cut off or joined the lines of the wrapper; refused, as it must be"
EASTERN = "EDGAR gives this company's times on its own clock, under the Z of UTC (decision: header)"
STYLED = "EDGAR names its styled view of the XML; the document's own file name has no folder"

WRAPPED = {
    r"doc-10-k-aapl-2011\.html\.gz refused": HAND_CUT,
    r"doc-def-14a-d623045ddef14a\.htm\.gz refused": HAND_CUT,
}
SUBMISSIONS_JSON = {
    r"CIK0000813828\.json \S+ accepted": EASTERN,
    r"CIK0001814722\.json \S+ accepted": EASTERN,
    r"CIK0001045810\.json \S+ document": STYLED,
}


def unexplained(differences: Iterable[str], reasons: dict[str, str]) -> list[str]:
    """The differences that no pattern of `reasons` finds, and the patterns that find none."""
    found = list(differences)
    patterns = [re.compile(pattern) for pattern in reasons]
    news = [each for each in found if not any(p.fullmatch(each) for p in patterns)]
    stale = [p.pattern for p in patterns if not any(p.fullmatch(each) for each in found)]
    return [*news, *(f"stale: {pattern}" for pattern in stale)]
