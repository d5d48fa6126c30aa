"""Rows of real ownership forms, against edgartools and the totals of covers."""

import re
from pathlib import Path

import pytest

from edgar_search.settings.extras import is_installed
from tests.fidelity.owners import cover_totals, second_reader

# Its tables have 2 thousand dollars more than its cover says.
OTHER_TOTAL = "0001000097-20-000004.txt.gz: rows 663859, cover 663857"
# In each the XML has our value: edgartools takes `D` with a footnote for indirect, puts remarks in
# place of titles that refer to them, and drops what is behind the point of shares.
EXPLAINED = re.compile(
    r"0000807249-20-0000(18|27)\.txt\.gz Direct: 'Yes' is 'No'"
    r"|\S+ owner\.title: 'See Remarks' is '.+'"
    r"|sc13da_adia\.xml person\.\S+: Decimal\('(\d+)\.\d+'\) is \2"
)


def test_rows_of_reports_are_those_of_their_covers(corpus: Path) -> None:
    counts, values = cover_totals(corpus)
    assert (counts.compared, counts.differ) == (45, [])
    assert (values.compared, values.differ) == (45, [OTHER_TOTAL])


@pytest.mark.long
def test_values_are_those_of_a_second_reader(corpus: Path) -> None:
    if not is_installed("edgar"):
        pytest.skip("the extra `peers` is not installed: it has edgartools")
    found = second_reader(corpus)
    assert [each for each in found.differ if not EXPLAINED.fullmatch(each)] == []
    assert (found.without, len(found.differ)) == (207, 16)
    assert found.compared > 69_000
