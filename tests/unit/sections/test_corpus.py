"""Sections of real reports, compared with where a reader found them."""

from pathlib import Path

import pytest

from edgar_search.edgar.items import PROXY_FORMS
from evaluation.sections import measure, read_judged


@pytest.mark.parametrize(
    ("every", "judged"), [(4, 311), pytest.param(1, 1_267, marks=pytest.mark.long)]
)
def test_starts_and_ends_are_where_a_reader_found_them(
    corpus: Path, every: int, judged: int
) -> None:
    figures = measure(corpus, read_judged()[::every])["all"]["all"]
    assert figures.judged == judged
    assert figures.starts >= 0.99 * figures.judged
    assert figures.whole >= 0.99 * figures.judged
    assert figures.starts >= 0.998 * figures.found
    assert figures.whole >= 0.998 * figures.found


def test_parts_of_proxy_statements_are_where_a_reader_found_them(corpus: Path) -> None:
    statements = [each for each in read_judged() if each.form in PROXY_FORMS]
    figures = measure(corpus, statements)["format"]["proxy html"]
    assert (len(statements), figures.judged) == (5, 62)
    # What is not certain is absent, and all that is there is right.
    assert figures.whole == figures.found
    assert figures.whole >= 0.8 * figures.judged


def test_held_out_reports_are_spread_over_the_formats() -> None:
    held_out = [(report.form[:4], report.format) for report in read_judged() if report.held_out]
    assert {kind: held_out.count(kind) for kind in held_out} == {
        ("10-K", "html"): 8,
        ("10-K", "ixbrl"): 8,
        ("10-K", "plain"): 8,
        ("10-Q", "html"): 6,
        ("10-Q", "ixbrl"): 8,
        ("10-Q", "plain"): 4,
    }
