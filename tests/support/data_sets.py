"""The SEC's Financial Statement Data Sets: submissions of their rows, and figures by pandas.

The figures are those of the documented table of standard items (`docs/api/financials.md`), decided
from presentation and values alone, without the code that loads filings.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tests.support.made_up_xbrl import MadeUpFact, MadeUpLine, MadeUpRole, documents, instance
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

QUARTERS = ("2009q3", "2010q1")
FORMS = ("10-K", "10-K/A", "10-Q", "10-Q/A", "20-F", "20-F/A", "40-F")
_TITLES = {
    "BS": "BALANCE SHEETS",
    "IS": "STATEMENTS OF INCOME",
    "CI": "STATEMENTS OF COMPREHENSIVE INCOME",
    "CF": "STATEMENTS OF CASH FLOWS",
    "EQ": "STATEMENTS OF EQUITY",
}


class DataSets(NamedTuple):
    """Filings, lines of statements, and values of whole companies, of reports in US dollars."""

    sub: pd.DataFrame
    pre: pd.DataFrame
    num: pd.DataFrame


def data_sets(corpus: Path) -> DataSets:
    """Read the data sets; a filing has one of each of the three statements, and no other."""
    parts = [_quarter(corpus / "xbrl", quarter) for quarter in QUARTERS]
    sub, pre, num = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    num = num[num.segments.isna() & num.coreg.isna() & num.value.notna()]
    sub = sub[sub.form.isin(FORMS) & sub.period.notna()].drop_duplicates("adsh")
    face = pre[pre.inpth == 0]
    reports = face.groupby(["adsh", "stmt"]).report.nunique().unstack(fill_value=0)
    # Data sets have statements that the SEC could not tell, which may be one of the three.
    whole = reports[(reports[["BS", "IS", "CF"]] == 1).all(axis=1) & (reports.UN == 0)].index
    money = num[num.uom.str.fullmatch("[A-Z]{3}", na=False)]
    foreign = money[money.uom != "USD"].adsh.unique()
    # A quarterly report that calls itself annual does not say when its year began.
    said = ~sub.form.str.startswith("10-Q") | sub.fp.isin(["Q1", "Q2", "Q3"])
    sub = sub[sub.adsh.isin(whole) & ~sub.adsh.isin(foreign) & sub.adsh.isin(num.adsh) & said]
    return DataSets(sub, pre[pre.adsh.isin(sub.adsh)], num[num.adsh.isin(sub.adsh)])


def _quarter(folder: Path, quarter: str) -> list[pd.DataFrame]:
    names = ("sub", "pre", "num")
    if quarter != "2009q3":
        return [pd.read_parquet(folder / f"fsds-{quarter}" / f"{name}.parquet") for name in names]
    with zipfile.ZipFile(folder / f"{quarter}.zip") as archive:
        return [
            pd.read_csv(archive.open(f"{name}.txt"), sep="\t", quoting=3, low_memory=False)
            for name in names
        ]


def submissions(data: DataSets) -> Iterator[tuple[str, bytes]]:
    """Yield the submissions of the filings: their values as XBRL, with lines in the same order.

    Labels say nothing: the documented table decides by concepts.
    """
    values = dict(iter(data.num.groupby("adsh")))
    lines = dict(iter(data.pre.groupby("adsh")))
    for filing in data.sub.itertuples():
        number = str(filing.adsh)
        period, filed = _date(filing.period), _date(filing.filed)
        about = {
            "DocumentFiscalPeriodFocus": str(filing.fp),
            "DocumentPeriodEndDate": period.isoformat(),
        }
        if not pd.isna(filing.fy):
            about["DocumentFiscalYearFocus"] = str(int(filing.fy))
        cik = f"{int(filing.cik):010d}"
        text = instance(_facts(values[number]), about, cik)
        entity = MadeUpEntity(cik, f"COMPANY {int(filing.cik)}", sic="1400")
        main = MadeUpDocument("<html><body>Report</body></html>", str(filing.form), "report.htm")
        xbrl = documents(text, list(_roles(lines[number])))
        made = MadeUp(number, (entity,), (main, *xbrl), str(filing.form), filed, period)
        yield f"{number}.txt", txt(made)


def _facts(values: pd.DataFrame) -> Iterator[MadeUpFact]:
    for row in values.itertuples():
        end, quarters, unit = _date(row.ddate), int(row.qtrs), str(row.uom)
        if not re.fullmatch("[A-Z]{3}|shares|[A-Z]{3}/shares|pure", unit):
            continue
        start = _start(end, quarters) if quarters else None
        concept = _concept(str(row.tag), str(row.version))
        yield MadeUpFact(concept, f"{float(row.value):.15g}", end, start, unit)


def _roles(lines: pd.DataFrame) -> Iterator[MadeUpRole]:
    for (report, aside, kind), rows in lines.groupby(["report", "inpth", "stmt"]):
        title = f"{_TITLES.get(kind, 'OTHER')}{' (Parenthetical)' if aside else ''}"
        shown = [
            MadeUpLine(_concept(str(row.tag), str(row.version)), "Line")
            for row in rows.sort_values("line").itertuples()
        ]
        yield MadeUpRole(
            f"{int(report):04d} - Statement - {title}", f"moss:Report{report}{aside}Abstract", shown
        )


def _concept(tag: str, version: str) -> str:
    taxonomy = version.partition("/")[0]
    return f"{taxonomy if taxonomy in ('us-gaap', 'dei') else 'moss'}:{tag}"


def _date(number: object) -> date:
    return date.fromisoformat(str(int(float(str(number)))))


def _start(end: date, quarters: int) -> date:
    """Return the first day of a period of quarters that ends with a month."""
    year, month = divmod(end.year * 12 + end.month - 3 * quarters, 12)
    return date(year, month + 1, 1)


class Alternative(NamedTuple):
    """A rule of the table: the first of some concepts that is there, or the sum of `every` one.

    The first of `others` is added times the `sign`.
    """

    concepts: tuple[str, ...]
    others: tuple[str, ...] = ()
    sign: int = 1
    every: bool = False


class DocumentedItem(NamedTuple):
    """An item, the statements that it may be on, in order, and its rules, in order."""

    name: str
    statements: tuple[str, ...]
    rules: tuple[Alternative, ...]


_STATEMENTS = {
    "income statement": "IS",
    "statement of comprehensive income": "CI",
    "cash flow statement": "CF",
    "balance sheet": "BS",
}
_ROW = re.compile(r"^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


# Their rules need what data sets do not have: calculations, the part of a balance sheet, or the
# columns of a statement, without which a note's amounts would add up too.
_UNDECIDED = (
    "cost_of_revenue short_term_investments short_term_debt long_term_debt shares_outstanding"
    " depreciation_amortization free_cash_flow".split()
)
# Costs and payments, which are positive also if a filer tags them as it shows them, in brackets.
_COSTS = (
    "research_and_development selling_general_administrative interest_expense"
    " capital_expenditure dividends_paid buybacks debt_repaid".split()
)
_SUM = "the sum of the lines "
_NAMES = re.compile("`([A-Za-z0-9]+)`")


def documented_items(page: str) -> list[DocumentedItem]:
    """Return the items of the documented table that the concepts of lines decide."""
    _, _, table = page.partition("<!-- standard items -->")
    found = []
    for name, statements, rules in _ROW.findall(table):
        if name in _UNDECIDED:
            continue
        kinds = tuple(_STATEMENTS[each.strip()] for each in statements.split(","))
        texts = [each.strip() for each in rules.split("; else ")]
        # Filings have no EX-27, no notes and no calculations here.
        away = ("EX-27", "from a note")
        texts = [t for t in texts if not t.startswith(away) and "as an addend" not in t]
        found.append(DocumentedItem(name, kinds, tuple(map(_alternative, texts))))
    return found


def _alternative(text: str) -> Alternative:
    every = text.startswith(_SUM)
    for sign, mark in ((-1, " − "), (1, " + ")):
        above, found, below = text.partition(mark)
        if found:
            return Alternative(tuple(_NAMES.findall(above)), tuple(_NAMES.findall(below)), sign)
    return Alternative(tuple(_NAMES.findall(text)), every=every)


def documented_figures(data: DataSets, items: Sequence[DocumentedItem]) -> pd.DataFrame:
    """Return the figures of each filing, by accession number and name; absent ones are missing."""
    named = data.pre[(data.pre.inpth == 0) & data.pre.version.str.startswith("us-gaap")]
    lines = named[["adsh", "stmt", "tag"]].drop_duplicates()
    money = data.num[data.num.uom.isin(["USD", "shares", "USD/shares"])]
    values = money[["adsh", "tag", "ddate", "qtrs", "value"]].drop_duplicates()
    filings = data.sub[["adsh", "form", "fp", "period"]].copy()
    filings["quarterly"] = filings.form.str.startswith("10-Q")
    filings["own"] = filings.quarterly.map({True: 1, False: 4})
    whole = filings.fp.map({"Q1": 1, "Q2": 2, "Q3": 3}).where(filings.quarterly, 4)
    filings["whole"] = whole
    filings["before"] = filings.period.map(lambda day: _before(day, 4))
    filings["opening"] = [
        _before(day, int(quarters)) if quarters > 0 else None
        for day, quarters in zip(filings.period, whole.fillna(0), strict=True)
    ]
    found = {}
    for item in items:
        of_item = _columns(item, filings, lines, values)
        balance = item.statements[0] == "BS"
        if balance:
            found[item.name] = _at(of_item, filings.assign(none=0), "period", "none")
            found[f"{item.name}_previous"] = _at(of_item, filings.assign(none=0), "opening", "none")
            continue
        found[item.name] = _at(of_item, filings, "period", "own")
        found[f"{item.name}_previous"] = _at(of_item, filings, "before", "own")
    return pd.DataFrame(found, index=filings.adsh)


def _before(day: float, quarters: int) -> int:
    """Return the last day of the month that many quarters earlier."""
    earlier = _start(_date(day), quarters) - timedelta(1)
    return int(earlier.strftime("%Y%m%d"))


def _at(
    of_item: pd.DataFrame, filings: pd.DataFrame, day: str, quarters: str
) -> "pd.Series[float]":
    """Return the value of an item on a day and of a number of quarters, by accession number."""
    wanted = filings[["adsh", day, quarters]].set_axis(["adsh", "ddate", "qtrs"], axis=1)
    return wanted.merge(of_item, how="inner").set_index("adsh").value


def _columns(
    item: DocumentedItem, filings: pd.DataFrame, lines: pd.DataFrame, values: pd.DataFrame
) -> pd.DataFrame:
    """Return the values of an item in all columns: each filing's by its first rule that holds."""
    chosen: list[pd.DataFrame] = []
    undecided = filings[["adsh", "period"]]
    for statement in item.statements:
        names = [each for rule in item.rules for each in (*rule.concepts, *rule.others)]
        own = lines[(lines.stmt == statement) & lines.tag.isin(names)].merge(values)
        own = own[(own.qtrs == 0) == (statement == "BS")]
        if item.name in _COSTS:
            own = _positive(own)
        for rule in item.rules:
            of_rule = own[own.adsh.isin(undecided.adsh)]
            found = _every(of_rule, rule) if rule.every else _first(of_rule, rule, filings)
            chosen.append(found[["adsh", "ddate", "qtrs", "value"]])
            undecided = undecided[~undecided.adsh.isin(found.adsh)]
    return pd.concat(chosen)


def _positive(own: pd.DataFrame) -> pd.DataFrame:
    most = own.groupby(["adsh", "tag"]).value.transform("max")
    return own.assign(value=own.value.where(most > 0, -own.value + 0.0))


def _first(own: pd.DataFrame, rule: Alternative, filings: pd.DataFrame) -> pd.DataFrame:
    """Return the values of the first concept that a filing has at the end of its period."""
    found = _of_first(own, rule.concepts, filings)
    if not rule.others:
        return found
    other = _of_first(own, rule.others, filings)
    both = found.merge(other, on=["adsh", "ddate", "qtrs"], suffixes=("", "_other"))
    return both.assign(value=both.value + rule.sign * both.value_other)


def _of_first(own: pd.DataFrame, concepts: Sequence[str], filings: pd.DataFrame) -> pd.DataFrame:
    order = {name: place for place, name in enumerate(concepts)}
    of_concepts = own[own.tag.isin(order)]
    period = filings[["adsh", "period"]].set_axis(["adsh", "ddate"], axis=1)
    new = of_concepts.merge(period)[["adsh", "tag"]].drop_duplicates()
    new = new.assign(place=new.tag.map(order)).sort_values("place").drop_duplicates("adsh")
    return new[["adsh", "tag"]].merge(of_concepts)


def _every(own: pd.DataFrame, rule: Alternative) -> pd.DataFrame:
    """Return the sums of all these concepts; of one of three or more that is the sum, that one."""
    found = own[own.tag.isin(rule.concepts)]
    columns = ["adsh", "ddate", "qtrs"]
    total = found.groupby(columns).value.transform("sum")
    newest = found.ddate == found.groupby("adsh").ddate.transform("max")
    many = found.groupby("adsh").tag.transform("nunique") > 2
    is_total = found[newest & many].assign(whole=found.value * 2 == total)
    whole = is_total.groupby(["adsh", "tag"]).whole.all()
    tags = whole[whole].reset_index()[["adsh", "tag"]].drop_duplicates("adsh")
    summed = found[~found.adsh.isin(tags.adsh)].groupby(columns, as_index=False).value.sum()
    return pd.concat([summed, tags.merge(found)[[*columns, "value"]]])
