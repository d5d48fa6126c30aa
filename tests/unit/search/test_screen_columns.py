"""Columns of screens: how they are read, and what is refused."""

import pytest

from edgar_search.errors import BadRequest
from edgar_search.search.screen_columns import MAX_COLUMNS, ScreenColumn, read_columns
from edgar_search.stored.figures import FIGURES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Company", ScreenColumn("company", "header", "text")),
        (
            "revenue_previous",
            ScreenColumn(
                "revenue_previous",
                "figure",
                "amount",
                "figures.revenue_previous",
                ("revenue_previous",),
            ),
        ),
        (
            "revenue_change",
            ScreenColumn(
                "revenue_change",
                "figure",
                "ratio",
                "quotients.revenue_change",
                ("revenue", "revenue_previous"),
            ),
        ),
        (
            "goodwill / equity",
            ScreenColumn(
                "goodwill/equity",
                "figure",
                "ratio",
                "quotients.goodwill_to_equity",
                ("goodwill", "equity"),
            ),
        ),
        (
            "quick_ratio",
            ScreenColumn(
                "quick_ratio",
                "figure",
                "ratio",
                "quotients.quick_ratio",
                ("current_assets", "inventory", "current_liabilities"),
            ),
        ),
        (
            'table:"Debt, long-term"',
            ScreenColumn('table:"Debt, long-term"', "table", "amount", words="Debt, long-term"),
        ),
        (
            "match:going concern",
            ScreenColumn('match:"going concern"', "match", "count", words="going concern"),
        ),
        (
            "section:item7",
            ScreenColumn('section:"item7"', "section", "count", words="item7"),
        ),
    ],
)
def test_column_is_read(text: str, expected: ScreenColumn) -> None:
    assert read_columns(text) == [expected]


def test_columns_are_read_in_order_and_each_once() -> None:
    text = ' company , match:"a, b",,revenue, COMPANY'
    assert [column.name for column in read_columns(text)] == ["company", 'match:"a, b"', "revenue"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "revenu",
            "`columns`: no column is `revenu`; the nearest are `revenue`, `revenue_change`",
        ),
        ("qqqq", "`columns`: no column is `qqqq`"),
        ('company,match:"x', "a name or a closing quote is missing at"),
        ("section:", "`columns`: `section` needs 1 to 200 characters of words"),
        (f"match:{'x' * 201}", "`match` needs 1 to 200 characters"),
        ("goodwill/cash", "`columns`: `goodwill/cash` is not known; amounts are divided by"),
        (
            ",".join(FIGURES[: MAX_COLUMNS + 1]),
            "`columns` may have at most 40 items, not 41",
        ),
    ],
)
def test_wrong_columns_are_refused(text: str, error: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_columns(text)
    assert error in str(refused.value)


def test_long_text_of_columns_is_read_in_time() -> None:
    with pytest.raises(BadRequest):
        read_columns('"' + 'a"' * 2_000)
