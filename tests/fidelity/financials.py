"""Financial statements and facts of real filings, compared with other readings of the same bytes.

    python -m tests.fidelity.financials [FOLDER]

Other readings are the SEC's own pages, its Financial Statement Data Sets, the sums that filers
declare, workbooks read back, and edgartools, if the extra `peers` is installed.
"""

import csv
import gzip
import io
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree
from openpyxl import load_workbook
from pyarrow import parquet

from edgar_search.api.files.sec_records import num_records
from edgar_search.api.files.statements import statements_workbook
from edgar_search.api.statements import reported_statement, statements_reply
from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.financials.statements import local_name
from edgar_search.settings.extras import is_installed
from edgar_search.stored.financials import (
    STANDARD_ITEMS,
    STATEMENTS,
    StoredFact,
    StoredFinancials,
    StoredStatement,
)
from ingest.reading.financials import Financials, read_financials
from ingest.reading.xbrl.statements import RoleConcepts, choose_statements
from ingest.reading.xbrl.xml_stream import join_lines
from tests.support.engines import CHECKOUT
from tests.support.xbrl_sets import SETS, set_files, wrap

# Submissions of 2009 to 2012 with statements in XBRL and the SEC's pages of them.
WITH_PAGES = tuple(
    f"0001193125-{rest}"
    for rest in (
        "09-153165 09-212454 09-214859 10-015598 10-016098 10-088957 10-090367 10-233883"
        " 11-110197 12-187203"
    ).split()
)
_KINDS = {"BS": "balance_sheet", "IS": "income_statement", "CF": "cash_flow"}


def submission(corpus: Path, number: str) -> Submission:
    return parse_submission(gzip.decompress((corpus / f"filings/{number}.txt.gz").read_bytes()))


def every_submission(corpus: Path) -> Iterator[Submission]:
    """Yield all filings at hand that have statements in XBRL."""
    for number in WITH_PAGES:
        yield submission(corpus, number)
    for name in SETS:
        yield parse_submission(wrap(corpus / "xbrl", name))


@cache
def every_filing(corpus: Path) -> list[Financials]:
    """Return the statements and facts of all filings at hand."""
    return [read_financials(each, 10**9) for each in every_submission(corpus)]


def pages(filing: Submission) -> dict[str, etree._Element]:
    """Return the SEC's pages in XML, by the titles of their roles."""
    bodies = {document.file_name: document.body for document in filing.documents}
    summary = etree.fromstring(bodies["FilingSummary.xml"])
    return {
        " ".join(report.findtext("LongName", "").split()): etree.fromstring(bodies[name])
        for report in summary.iter("Report")
        if (name := report.findtext("XmlFileName", "")) in bodies
    }


def page_rows(page: etree._Element) -> Iterator[tuple[str, list[Decimal]]]:
    """Yield the label and the amounts of each row without dimensions, as they are shown."""
    plain = {
        column.findtext("Id") for column in page.iter("Column") if not column.findall(".//Segment")
    }
    for row in page.iter("Row"):
        amounts = [
            Decimal(cell.findtext("NumericAmount") or 0)
            for cell in row.iter("Cell")
            if cell.findtext("IsNumeric") == "true"
            and cell.findtext("Id") in plain
            and cell.findtext("NonNumbericText") in ("", None)
        ]
        yield " ".join((row.findtext("Label") or "").split()), amounts


def shown_rows(statement: StoredStatement) -> Counter[tuple[str, Decimal]]:
    """Return labels and amounts of a statement in its columns, with the signs that are shown."""
    reported = reported_statement(statement)
    own = [line for line in reported.lines if not line.breakdown]
    return Counter(
        (line.label, amount.normalize())
        for line in (*own, *reported.breakdowns)
        for amount in line.amounts(reported.columns)
        if amount is not None
    )


Row = dict[str, str]


@cache
def presented_rows(corpus: Path, quarter: str) -> list[Row]:
    """Return the rows of `pre` of a quarter's data set."""
    if quarter == "2009q3":
        with zipfile.ZipFile(corpus / "xbrl/2009q3.zip") as archive:
            lines = io.TextIOWrapper(archive.open("pre.txt"), "utf-8", newline="")
            return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    table = parquet.read_table(corpus / "xbrl/fsds-2010q1/pre.parquet")
    return [{name: str(value) for name, value in row.items()} for row in table.to_pylist()]


@cache
def num_rows(corpus: Path, quarter: str) -> list[dict[str, Any]]:
    """The rows of `num` of a quarter's data set with a value."""
    if quarter == "2009q3":
        with zipfile.ZipFile(corpus / "xbrl/2009q3.zip") as archive:
            lines = io.TextIOWrapper(archive.open("num.txt"), "utf-8", newline="")
            rows: list[dict[str, Any]] = list(
                csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            )
    else:
        rows = parquet.read_table(corpus / "xbrl/fsds-2010q1/num.parquet").to_pylist()
    return [row for row in rows if row["value"] not in ("", None)]


def value_rows(corpus: Path, quarter: str) -> list[dict[str, Any]]:
    """The same, of no segment or co-registrant."""
    rows = num_rows(corpus, quarter)
    return [row for row in rows if not row["segments"] and not row["coreg"]]


class Checked(NamedTuple):
    """The counts of a comparison, and what differs; `without` is what cannot be compared."""

    compared: int
    differ: list[str]
    without: int = 0


# Filings whose values are in a data set.
IN_DATA_SETS = {
    "0001193125-09-153165": "2009q3",
    "0001193125-10-015598": "2010q1",
    "0001193125-10-016098": "2010q1",
}
QUARTERS = ("2009q3", "2010q1")


def page_amounts(corpus: Path) -> Checked:
    """Amounts with labels and shown signs of the SEC's pages of statements, without dimensions."""
    compared, differ = 0, []
    for number in WITH_PAGES[:-1]:
        filing = submission(corpus, number)
        found = read_financials(filing, 10**9).statements
        assert found is not None
        by_title = pages(filing)
        for statement in main_statements(found):
            wanted = Counter(
                (label, amount.normalize())
                for label, amounts in page_rows(by_title[statement.long_name])
                for amount in amounts
            )
            ours = shown_rows(statement)
            compared += wanted.total()
            differ += [
                f"{number} {element}" for element in ((wanted - ours) + (ours - wanted)).elements()
            ]
    return Checked(compared, differ)


def chosen_statements(corpus: Path, quarter: str) -> Checked:
    """Return the kinds of statements of a quarter's reports, as the SEC names them."""
    reports: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in presented_rows(corpus, quarter):
        if row["inpth"] in _NOT_IN_PARENTHESES:
            reports[row["adsh"]][int(float(row["report"]))].append(row)
    compared, differ = 0, []
    for number, parts in reports.items():
        numbered = sorted(parts.items())
        roles = [RoleConcepts("", frozenset(row["tag"] for row in rows)) for _, rows in numbered]
        chosen = choose_statements(roles)
        kinds = [rows[0]["stmt"] for _, rows in numbered]
        for short, kind in _KINDS.items():
            place = chosen.get(kind)  # type: ignore[call-overload]
            ours = None if place is None else kinds[place]
            compared += 1
            if ours != (short if short in kinds else None):
                differ.append(f"{number} {short}: {ours}")
    return Checked(compared, differ)


_NOT_IN_PARENTHESES = ("0", "0.0", "False")


def main_statements(filing: StoredFinancials) -> list[StoredStatement]:
    """Return the statements that the SEC's pages show as a table of periods."""
    return [statement for statement in filing.statements if statement.kind in STATEMENTS]


def data_set_lines(corpus: Path) -> Checked:
    """Return lines of statements with their order, labels and negated signs.

    One is nil in all columns.
    """
    compared, differ = 0, []
    for number, quarter in IN_DATA_SETS.items():
        found = read_financials(submission(corpus, number), 10**9).statements
        assert found is not None
        of_filing = [row for row in presented_rows(corpus, quarter) if row["adsh"] == number]
        for statement in main_statements(found):
            rows = [
                row
                for row in of_filing
                if _KINDS.get(row["stmt"]) == statement.kind and row["inpth"] in _NOT_IN_PARENTHESES
            ]
            wanted = [
                (row["tag"], row["plabel"], row["negating"] in ("1", "1.0", "True"))
                for row in sorted(rows, key=lambda each: int(float(each["line"])))
            ]
            nil = {local_name(line.concept) for line in statement.lines if not line.values}
            ours = [
                (local_name(line.concept), line.label, line.negated)
                for line in statement.lines
                if line.values
            ]
            compared += len(wanted)
            if ours != [row for row in wanted if row[0] not in nil or row in ours]:
                differ.append(f"{number} {statement.kind}")
    return Checked(compared, differ)


def data_set_values(corpus: Path) -> Checked:
    """Values of the data sets by concept, unit, rounded end and quarters, without dimensions."""
    compared, differ = 0, []
    for number, quarter in IN_DATA_SETS.items():
        ours: dict[tuple[str, str, int, int], set[Decimal]] = defaultdict(set)
        for fact in read_financials(submission(corpus, number), 10**9).facts:
            if not fact.sources and not fact.dimensions:
                key = (fact.local_name, fact.unit, _month_end(fact.end), _quarters(fact))
                ours[key].add(round(Decimal(fact.value), 4))
        for row in value_rows(corpus, quarter):
            if row["adsh"] != number:
                continue
            period = int(row["ddate"]), int(row["qtrs"])
            # The data sets of these years write USD for dollars a share too.
            units = (row["uom"], f"{row['uom']}/shares")
            values = set[Decimal]().union(*(ours[row["tag"], unit, *period] for unit in units))
            compared += 1
            if round(Decimal(str(row["value"])), 4) not in values:
                differ.append(f"{number} {row['tag']} {period} {row['value']}")
    return Checked(compared, differ)


def sec_values(corpus: Path) -> Checked:
    """Return rows of sets in the SEC's layout; `without` are the SEC's of what no statement has."""
    compared, differ, without = 0, [], 0
    for number, quarter in IN_DATA_SETS.items():
        found = read_financials(submission(corpus, number), 10**9).statements
        assert found is not None
        theirs = {
            (
                row["tag"],
                int(row["ddate"]),
                int(row["qtrs"]),
                row["uom"],
                row["segments"] or None,
            ): round(Decimal(str(row["value"])), 4)
            for row in num_rows(corpus, quarter)
            if row["adsh"] == number
        }
        ours = {
            (row.tag, row.ddate, row.qtrs, row.uom, row.segments): row.value
            for row in num_records(found)
        }
        compared += len(ours)
        without += len(theirs.keys() - ours.keys())
        differ += [f"{number} {key}" for key in ours if ours[key] != theirs.get(key)]
    return Checked(compared, differ, without)


def _month_end(day: date) -> int:
    """The end of the month that is nearest to a day, as a number of eight digits."""
    first = day.replace(day=1)
    before, after = first - timedelta(1), (first + timedelta(32)).replace(day=1) - timedelta(1)
    nearest = before if (day - before) < (after - day) else after
    return nearest.year * 10_000 + nearest.month * 100 + nearest.day


def _quarters(fact: StoredFact) -> int:
    return 0 if fact.start is None else round(((fact.end - fact.start).days + 1) / 91.3)


Values = dict[str, dict[tuple[date | None, date, str], StoredFact]]


def values_of(filing: Financials) -> Values:
    """Return the values without dimensions by concept, and then by period and unit."""
    found: Values = defaultdict(dict)
    for fact in filing.facts:
        if not fact.dimensions:
            found[fact.concept][fact.start, fact.end, fact.unit] = fact
    return found


def balances(corpus: Path) -> Checked:
    """Assets, which are the sum of liabilities and equity on every day."""
    compared, differ = 0, []
    for filing in every_filing(corpus):
        values = values_of(filing)
        assets = values["us-gaap:Assets"]
        claims = values["us-gaap:LiabilitiesAndStockholdersEquity"]
        for key in assets.keys() & claims.keys():
            compared += 1
            if Decimal(assets[key].value) != Decimal(claims[key].value):
                differ.append(f"{assets[key].accession_number} {key[1]}")
    return Checked(compared, differ)


_CASH_FLOWS = ("operations", "investing", "financing")
_RATES = "us-gaap:EffectOfExchangeRateOnCash"


def flows(corpus: Path) -> Checked:
    """Changes in cash, which are the sums of the three flows and perhaps of exchange rates."""
    compared, differ = 0, []
    for filing in every_filing(corpus):
        values = values_of(filing)
        three = [values[f"standard:cash_from_{name}"] for name in _CASH_FLOWS]
        change = values["standard:change_in_cash"]
        rates = {
            k: v for name in [*values] if name.startswith(_RATES) for k, v in values[name].items()
        }
        for key in change.keys() & set.intersection(*(set(flow) for flow in three)):
            total = sum((Decimal(flow[key].value) for flow in three), Decimal())
            rate = Decimal(rates[key].value) if key in rates else Decimal()
            compared += 1
            if Decimal(change[key].value) not in (total, total + rate):
                differ.append(f"{change[key].accession_number} {key[1]}")
    return Checked(compared, differ)


def closing_cash(corpus: Path) -> Checked:
    """Cash at the ends of cash flow statements, where the balance sheet has the same concept."""
    compared, differ = 0, []
    for filing in every_filing(corpus):
        assert filing.statements is not None
        by_kind = {statement.kind: statement for statement in filing.statements.statements}
        sheet = {
            (line.concept, value.end): value.value
            for line in by_kind["balance_sheet"].lines
            for value in line.values
        }
        flow = by_kind["cash_flow"]
        for line in flow.lines:
            for value in line.values:
                if value.start is None and not line.opening and (line.concept, value.end) in sheet:
                    compared += 1
                    if sheet[line.concept, value.end] != value.value:
                        differ.append(f"{filing.statements.accession_number} {line.concept}")
    return Checked(compared, differ)


_LINK = "{http://www.xbrl.org/2003/linkbase}"
_XLINK = "{http://www.w3.org/1999/xlink}"


def calculations(filing: Submission) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield each total of the calculation linkbase with its parts and their signs."""
    for document in filing.documents:
        if document.form_type != "EX-101.CAL":
            continue
        for link in etree.fromstring(join_lines(document.body)).iter(f"{_LINK}calculationLink"):
            concepts = {
                each.get(f"{_XLINK}label"): each.get(f"{_XLINK}href", "").rpartition("#")[2]
                for each in link.iter(f"{_LINK}loc")
            }
            parts: dict[str, list[tuple[str, int]]] = defaultdict(list)
            for arc in link.iter(f"{_LINK}calculationArc"):
                ends = [concepts[arc.get(f"{_XLINK}{end}")] for end in ("from", "to")]
                total, part = (each.replace("_", ":", 1) for each in ends)
                parts[total].append((part, int(float(arc.get("weight", "1")))))
            yield from parts.items()


def sums(corpus: Path) -> Checked:
    """Return sums that filers declare, within what rounding allows, where all parts are there.

    `without` counts those of which a part is absent in the period of the total.
    """
    compared, differ, without = 0, [], 0
    for filing, found in zip(every_submission(corpus), every_filing(corpus), strict=True):
        values = values_of(found)
        for total, parts in calculations(filing):
            for key, fact in values.get(total, {}).items():
                of_parts = [(values.get(part, {}).get(key), sign) for part, sign in parts]
                known = [(part, sign) for part, sign in of_parts if part is not None]
                if len(known) < len(parts):
                    without += 1
                    continue
                summed = sum((sign * Decimal(part.value) for part, sign in known), Decimal())
                allowed = sum(map(_half_a_unit, [fact, *(part for part, _ in known)]), Decimal())
                compared += 1
                if abs(summed - Decimal(fact.value)) > allowed:
                    differ.append(
                        f"{fact.accession_number} {total} {key[0] or ''} to {key[1]}:"
                        f" {fact.value}, parts {summed}"
                    )
    return Checked(compared, differ, without)


def _half_a_unit(fact: StoredFact) -> Decimal:
    """Return the most that rounding may have changed."""
    return Decimal() if fact.decimals is None else Decimal(5).scaleb(-fact.decimals - 1)


def workbooks(corpus: Path) -> Checked:
    """Cells of workbooks as openpyxl reads them back, against the lines with their shown signs."""
    compared, differ = 0, []
    for found in every_filing(corpus):
        filing = found.statements
        assert filing is not None
        answer = statements_reply(filing, STATEMENTS)
        book = load_workbook(io.BytesIO(statements_workbook(answer)))
        for sheet, statement in zip(book.worksheets, answer.statements, strict=False):
            rows = list(sheet.iter_rows(min_row=4, values_only=True))
            for row, line in zip(rows, statement.lines, strict=True):
                amounts = line.amounts(statement.by_length)
                wanted = [None if amount is None else float(amount) for amount in amounts]
                got = [None if each is None else float(each) for each in row[1 : len(wanted) + 1]]
                compared += len(wanted)
                if [row[0], *got] != [line.title, *wanted]:
                    differ.append(f"{filing.accession_number} {line.label}")
    return Checked(compared, differ)


Facts = dict[tuple[str, str, date | None, date, frozenset[str]], set[Decimal]]


def second_reader(corpus: Path) -> Checked:
    """Return numbers of the whole sets, as edgartools reads them.

    A fact of two precisions counts once.
    """
    compared, differ = 0, []
    for name in SETS:
        ours: Facts = defaultdict(set)
        for fact in read_financials(parse_submission(wrap(corpus / "xbrl", name)), 10**9).facts:
            if not fact.sources:
                members = frozenset(dimension.replace("_", ":") for dimension in fact.dimensions)
                key = (fact.concept, fact.unit, fact.start, fact.end, members)
                ours[key].add(Decimal(fact.value))
        theirs = edgartools_facts(set_files(corpus / "xbrl", name))
        compared += len(theirs)
        differ += [f"{name} only there: {key}" for key in theirs.keys() - ours.keys()]
        differ += [f"{name} only here: {key}" for key in ours.keys() - theirs.keys()]
        differ += [
            f"{name} {key}: {ours[key]}, there {theirs[key]}"
            for key in ours.keys() & theirs.keys()
            if not ours[key] <= theirs[key]
        ]
    return Checked(compared, differ)


_FILES = {
    "instance_file": ("_htm.xml", ".xml"),
    "schema_file": (".xsd", ".xsd.xml"),
    "presentation_file": ("_pre.xml",),
    "calculation_file": ("_cal.xml",),
    "definition_file": ("_def.xml",),
    "label_file": ("_lab.xml",),
}


def edgartools_facts(files: dict[str, bytes]) -> Facts:
    """Return the numbers of a set that edgartools reads."""
    found: Facts = defaultdict(set)
    read = edgartools_xbrl(files)
    for fact in read._facts.values():
        context = read.contexts[fact.context_ref]
        if fact.unit_ref is None or fact.value in ("", None):
            continue
        unit = read.units[fact.unit_ref]
        period = {
            name: date.fromisoformat(day) for name, day in context.period.items() if name != "type"
        }
        members = frozenset(
            f"{axis.replace('_', ':')}={member.replace('_', ':')}"
            for axis, member in context.dimensions.items()
        )
        key = (
            fact.element_id.replace("_", ":", 1),
            _unit_name(unit),
            period.get("startDate"),
            period["endDate"] if "endDate" in period else period["instant"],
            members,
        )
        found[key].add(Decimal(fact.value))
    return found


def edgartools_xbrl(files: dict[str, bytes]) -> Any:
    """Return the set as edgartools opens it, without a network."""
    from edgar.xbrl import XBRL

    with tempfile.TemporaryDirectory() as folder:
        given = {}
        for parameter, endings in _FILES.items():
            for ending in endings:
                name = _named(files, ending)
                if name is not None and parameter not in given:
                    given[parameter] = Path(folder) / name
                    given[parameter].write_bytes(files[name])
        return XBRL.from_files(**given)


def _named(files: Iterable[str], ending: str) -> str | None:
    """Return the one file with an ending.

    An instance of before 2019 is the file without another one.
    """
    others = ("_pre.xml", "_cal.xml", "_def.xml", "_lab.xml", ".xsd.xml", "FilingSummary.xml")
    found = [
        name
        for name in files
        if name.endswith(ending) and not (ending == ".xml" and name.endswith(others))
    ]
    return found[0] if found else None


def _unit_name(unit: dict[str, Any]) -> str:
    if unit["type"] == "divide":
        parts = (unit["numerator"], unit["denominator"])
        return "/".join("*".join(each.rpartition(":")[2] for each in part) for part in parts)
    return str(unit["measure"]).rpartition(":")[2]


def items(corpus: Path) -> dict[str, int]:
    """Return the number of filings that have each standard item."""
    found = Counter(
        name
        for filing in every_filing(corpus)
        for name in {fact.local_name for fact in filing.facts if fact.taxonomy == "standard"}
    )
    return {name: found[name] for name in STANDARD_ITEMS}


COMPARISONS: tuple[tuple[str, Callable[[Path], Checked]], ...] = (
    ("amounts, signs and labels of the SEC's pages", page_amounts),
    ("kinds of statements, 2009q3", lambda corpus: chosen_statements(corpus, "2009q3")),
    ("kinds of statements, 2010q1", lambda corpus: chosen_statements(corpus, "2010q1")),
    ("lines, order, labels and signs of the data sets", data_set_lines),
    ("values of the data sets", data_set_values),
    ("rows of `sec_financial_num` in the data sets", sec_values),
    ("assets = liabilities + equity", balances),
    ("change in cash = the three flows", flows),
    ("closing cash = cash of the balance sheet", closing_cash),
    ("sums that filers declare", sums),
    ("cells of workbooks, read back", workbooks),
)
PEERS = ("numbers as edgartools reads them", second_reader)


def main() -> None:
    """Print the tables of `docs/fidelity.md`, and each difference."""
    corpus = Path(sys.argv[1]) if sys.argv[1:] else CHECKOUT.parent / "shared" / "edgar"
    print("| comparison | compared | different | cannot be compared |")
    print("|---|---:|---:|---:|")
    differ = []
    for title, compare in (*COMPARISONS, *([PEERS] if is_installed("edgar") else [])):
        found = compare(corpus)
        differ += [f"{title}: {each}" for each in found.differ]
        print(f"| {title} | {found.compared:,} | {len(found.differ)} | {found.without:,} |")
    total = len(every_filing(corpus))
    print(f"\nItems that are found, of {total} filings:\n")
    print("| item | filings | item | filings | item | filings |")
    print("|---|---:|---|---:|---|---:|")
    counts = list(items(corpus).items())
    rows = len(counts) // 3
    for number in range(rows):
        cells = [f"`{name}` | {count}" for name, count in counts[number::rows]]
        print(f"| {' | '.join(cells)} |")
    print("\n".join(["", *differ]))


if __name__ == "__main__":
    main()
