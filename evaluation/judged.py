"""A small judged set: for each query it is plain which kind of document answers it."""

# Kinds of documents that run to dozens of pages.
LONG_FORMS = frozenset(
    "10-K 10-K405 10-K/A 10-Q 10-Q/A S-1 S-3 F-3 N-CSR 424B2 424B5 6-K PRER14A EX-13".split()
) | {"DEF 14A"}
ASKS_FOR_REPORTS = (
    "goodwill impairment critical accounting policies",
    "interest rate risk market risk sensitivity",
    "risk factors competition patents",
    "allowance for doubtful accounts revenue recognition",
    "employees properties legal proceedings",
    "income taxes valuation allowance deferred",
    "stock options fair value Black-Scholes",
    "segment information foreign currency",
    "pension plan actuarial assumptions",
    "quantitative and qualitative disclosures about market risk",
)
ASKS_FOR_NOTICES = (
    "resignation director board",
    "press release furnished exhibit 99.1",
    "results of operations and financial condition Item 2.02",
    "dividend declared payable record",
    "appointed chief executive officer",
    "definitive agreement announced merger",
    "change in fiscal year bylaws",
    "purchase price acquisition completed",
    "beneficial ownership percent of class",
    "tender offer shares",
)
