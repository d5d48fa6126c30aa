"""Figures of reports that are made of the SEC's data sets, filing by filing as pandas has them."""

from pathlib import Path

import pytest

from edgar_search.edgar.submission import parse_submission
from ingest.reading.financials import read_financials
from tests.support.data_sets import data_sets, documented_figures, documented_items, submissions
from tests.support.engines import CHECKOUT

SEED, SAMPLE = 48, 40


@pytest.mark.parametrize("most", [SAMPLE, pytest.param(None, marks=pytest.mark.long)])
def test_figures_are_those_of_the_documented_table(corpus: Path, most: int | None) -> None:
    if not (corpus / "xbrl" / "2009q3.zip").exists():
        pytest.skip(f"the data sets are absent: no folder {corpus / 'xbrl'}")
    data = data_sets(corpus)
    if most:
        data = data._replace(sub=data.sub.sample(most, random_state=SEED))
    items = documented_items((CHECKOUT / "docs/api/financials.md").read_text())
    expected = documented_figures(data, items)
    rows = {number: row.dropna().to_dict() for number, row in expected.iterrows()}
    read = 0
    for name, body in submissions(data):
        found = read_financials(parse_submission(body), 10**9).figures
        number = name.removesuffix(".txt")
        own = {each: value for each, value in found.values.items() if each in expected}
        assert (number, own) == (number, rows[number])
        read += len(own)
    print(f"{len(expected)} filings, {len(items)} items, {read:,} figures")
    assert read > 40 * len(expected)
