"""The figures of all comparisons: `python -m tests.fidelity [FOLDER]`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.fidelity import edgar_json, explained, facts, words
from tests.fidelity.comparison import Comparison
from tests.fidelity.explained import unexplained
from tests.support.engines import CHECKOUT

Compare = Callable[[Path], Comparison]
COMPARISONS: tuple[tuple[str, Compare, dict[str, str]], ...] = (
    ("facts of submissions, second reader", facts.filings, {}),
    ("bodies of documents, second reader", facts.bodies, {}),
    ("facts of headers alone, second reader", facts.headers, {}),
    ("facts in both header dialects", facts.dialects, {}),
    ("facts of single documents", facts.wrapped, explained.WRAPPED),
    ("facts, EDGAR's submissions JSON", edgar_json.submissions_json, explained.SUBMISSIONS_JSON),
)


def main() -> int:
    """Print a row for each comparison; 0 only if every difference is explained."""
    corpus = Path(sys.argv[1]) if sys.argv[1:] else CHECKOUT.parent / "shared" / "edgar"
    began = time.process_time()
    left = 0
    print("| comparison | files | compared | different | unexplained |")
    print("|---|---:|---:|---:|---:|")
    for title, compare, reasons in COMPARISONS:
        found = compare(corpus)
        news = unexplained(found.differences, reasons)
        left += len(news)
        row = (found.files, found.compared, len(found.differences), len(news))
        print(f"| {title} | " + " | ".join(f"{number:,}" for number in row) + " |")
    print("\n| documents | number | terms | lost | extra | in another order |", end="")
    print(" over page breaks | over line ends |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kind, each in words.compare(corpus).items():
        left += len(each.differences)
        moved = sum(1 for lost, extra in each.differences.values() if not lost and not extra)
        row_of_words = (
            *(each.documents, each.terms, each.lost, each.extra, moved),
            *(each.continued, each.joined),
        )
        print(f"| {kind.value} | " + " | ".join(f"{number:,}" for number in row_of_words) + " |")
    print(f"\n{time.process_time() - began:.0f} s of CPU")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
