"""Answers from data: questions made of the filings, and the cards that they get.

    python -m evaluation.cards [--each] [--seed 7 8 9] [--corpus FOLDER]

A seed makes 200 questions from the corpus: 100 that a filed fact answers (numbers, numbers of parts
of a company, insider trades, owners of more than five percent), and 100 that none answers for sure:
ambiguous ones, conditions, several companies, items or periods, other companies, other years. No
report of the corpus has its auditor as data: `python -m evaluation.made_auditors` makes some, of
which half of 80 questions more have no answer.

Each card is judged against another reading of the filings, by this module alone: the elements of
XBRL instances, the lines of the schedules of numbers of 1993 to 2001, the XML of Forms 4 and of
schedules 13G. A card is right if that has the same value, for the same company and the same days,
in the filing that the card names. Any card for a question without an answer is wrong.

It reads the installation that the settings name, which has the filings of the corpus and the ticker
files, as `python -m evaluation.ranking` does.
"""

import argparse
import asyncio
import gzip
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import NamedTuple
from xml.etree import ElementTree

from edgar_search.api.answer import FIND_ANSWER, FactAnswer
from edgar_search.api.context import Context
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from evaluation.sections import CORPUS

SEED, OF_EACH = 7, 100
# Questions of each kind among those with an answer; numbers make up the rest.
_PARTS, _TRADES, _OWNERS = 12, 20, 3
_AUDITORS = 40
# Elements and lines of schedules, by the words of a question.
_ITEMS: Mapping[str, frozenset[str]] = {
    "revenue": frozenset({"Revenues", "SalesRevenueNet", "TOTAL-REVENUES"}),
    "net income": frozenset({"NetIncomeLoss", "ProfitLoss", "NET-INCOME"}),
    "operating income": frozenset({"OperatingIncomeLoss"}),
    "gross profit": frozenset({"GrossProfit"}),
    "total assets": frozenset({"Assets", "TOTAL-ASSETS"}),
    "total liabilities": frozenset({"Liabilities"}),
    "stockholders' equity": frozenset({"StockholdersEquity"}),
    "cash and cash equivalents": frozenset({"CashAndCashEquivalentsAtCarryingValue", "CASH"}),
    "diluted eps": frozenset({"EarningsPerShareDiluted", "EPS-DILUTED"}),
    "goodwill": frozenset({"Goodwill"}),
    "inventory": frozenset({"InventoryNet", "INVENTORY"}),
    "income tax": frozenset({"IncomeTaxExpenseBenefit", "INCOME-TAX"}),
}
_DAYS = frozenset(
    "Assets Liabilities StockholdersEquity CashAndCashEquivalentsAtCarryingValue Goodwill"
    " InventoryNet TOTAL-ASSETS CASH INVENTORY".split()
)
_OF_PARTS = _ITEMS["revenue"] | {"SalesRevenueGoodsNet", "OperatingIncomeLoss"}
_DOCUMENT = re.compile(r"<DOCUMENT>\s*<TYPE>([^\r\n<]+)(.*?)</DOCUMENT>", re.DOTALL)
_LINE = re.compile(r"<([A-Z&-]+)>[ \t]+([^\r\n<]+)")
_LEGAL = re.compile(r"\b(?:inc|corp|corporation|co|com|ltd|plc|llc|company|lp|/\w+/?)\b\.?", re.I)
# EDGAR once cut long lines, even in the name of an element.
_CUT = re.compile(r"([^\n]{1023})\r?\n")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class RawFact(NamedTuple):
    """A number as a filing has it; `end` alone if it is of a day, `members` if it is of a part."""

    cik: str
    accession_number: str
    concept: str
    start: date | None
    end: date
    value: Decimal
    members: tuple[str, ...] = ()


class RawTrade(NamedTuple):
    """A trade as a Form 4 has it; an amendment's form has `/A`."""

    cik: str
    accession_number: str
    form: str
    day: date
    code: str
    shares: Decimal | None
    derivative: bool
    owner: str


class RawAuditor(NamedTuple):
    """The texts of a report about its auditor (name, location, number), and their last day."""

    cik: str
    accession_number: str
    end: date
    texts: tuple[tuple[str, str], ...]


class Truth(NamedTuple):
    """All that this module reads of the corpus; names and fiscal year ends are by CIK.

    `changes` are the companies that report a change of auditor in an 8-K.
    """

    facts: list[RawFact]
    trades: list[RawTrade]
    owners: Mapping[str, list[tuple[str, Decimal]]]
    names: Mapping[str, str]
    year_ends: Mapping[str, tuple[int, int]]
    auditors: Sequence[RawAuditor] = ()
    changes: Collection[str] = ()


class MadeQuestion(NamedTuple):
    """A question, and the facts or trades of which one answers it; none if it has no answer."""

    text: str
    kind: str
    cik: str = ""
    facts: tuple[RawFact, ...] = ()
    trades: tuple[RawTrade, ...] = ()
    auditors: tuple[RawAuditor, ...] = ()


class JudgedCard(NamedTuple):
    """A question with its card and the judgement of it; no judgement without a card."""

    question: MadeQuestion
    card: FactAnswer | None
    right: bool
    seconds: float


def read_corpus(corpus: Path) -> Truth:
    """Read the numbers, trades and owners of all filings."""
    facts: list[RawFact] = []
    trades: list[RawTrade] = []
    owners: dict[str, list[tuple[str, Decimal]]] = {}
    names: dict[str, str] = {}
    year_ends: dict[str, tuple[int, int]] = {}
    auditors: list[RawAuditor] = []
    changes: set[str] = set()
    for path in sorted((corpus / "filings").glob("*.gz")):
        text = gzip.decompress(path.read_bytes()).decode("latin-1")
        number, head = path.name.partition(".")[0], text[:20_000]
        found = re.search(
            r"FILER:.*?CONFORMED NAME:\s*([^\r\n]+)\s+CENTRAL INDEX KEY:\s*(\d+)", head, re.S
        )
        cik = found[2].zfill(10) if found else ""
        if "ITEM INFORMATION:\t\tChanges in Registrant's Certifying Accountant" in head:
            changes.add(cik)
        if found:
            names[cik] = found[1].strip()
            if end := re.search(r"FISCAL YEAR END:\s*(\d\d)(\d\d)", head):
                year_ends[cik] = int(end[1]), int(end[2])
        for kind, body in _DOCUMENT.findall(text):
            if kind.startswith("EX-27"):
                facts += _schedule(cik, number, body, text)
            elif kind.startswith("EX-101.INS"):
                facts += _instance(cik, number, body)
                auditors += _auditors(cik, number, body)
            elif kind.strip() in ("4", "4/A"):
                for trade, name in _form_4(number, kind.strip(), body):
                    names.setdefault(trade.cik, name)
                    trades.append(trade)
            elif kind.startswith("SCHEDULE 13"):
                _schedule_13(body, owners, names)
    return Truth(facts, trades, owners, names, year_ends, auditors, changes)


def _schedule(cik: str, number: str, body: str, filing: str) -> Iterator[RawFact]:
    """Read a schedule with one column of numbers; without a multiplier the report has the unit."""
    lines = _LINE.findall(body)
    tags = Counter(tag for tag, _ in lines)
    values = {tag: value.strip() for tag, value in lines}
    if tags["TOTAL-ASSETS"] != 1 or len(values.get("PERIOD-END", "").split()) != 1:
        return
    end = _written(values["PERIOD-END"])
    months = re.match(r"(\d+)-MOS|(YEAR)|(\d*)", values.get("PERIOD-TYPE", ""))
    length = 12 if months and months[2] else int((months and months[1]) or 0)
    if end is None or not length:
        return
    scale = _decimal(values.get("MULTIPLIER", "")) or _scale_of_report(filing)
    # The first day is not written: about as many months before.
    start = end - timedelta(days=round(length * 30.44) - 1)
    for tag, value in values.items():
        amount = _decimal(value)
        if amount is not None and any(tag in each for each in _ITEMS.values()):
            by = 1 if tag.startswith("EPS") else scale
            yield RawFact(cik, number, tag, None if tag in _DAYS else start, end, amount * by)


def _scale_of_report(filing: str) -> Decimal:
    match = re.search(r"\(\s*(?:dollars )?in (thousands|millions)", filing, re.I)
    return Decimal({"thousands": 1_000, "millions": 1_000_000}[match[1].lower()] if match else 1)


def _written(text: str) -> date | None:
    month, _, rest = text.lower().partition("-")
    day, _, year = rest.partition("-")
    try:
        return date(int(year), _MONTHS.index(month[:3]) + 1, int(day))
    except ValueError:
        return None


def _decimal(text: str) -> Decimal | None:
    plain = text.replace("$", "").replace(",", "").strip()
    sign = -1 if plain.startswith("(") or plain.startswith("-") else 1
    try:
        return sign * Decimal(plain.strip("()- ").strip())
    except InvalidOperation:
        return None


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _xml(body: str) -> ElementTree.Element | None:
    match = re.search(r"<(?:XBRL|XML)>\s*(<\?xml.*?)</(?:XBRL|XML)>", body, re.S)
    try:
        text = _CUT.sub(r"\1", match[1]) if match else ""
        return ElementTree.fromstring(text.encode("latin-1")) if text else None
    except ElementTree.ParseError:
        return None


def _instance(cik: str, number: str, body: str) -> Iterator[RawFact]:
    """Read the elements of an instance, with the days and members of their contexts."""
    root = _xml(body)
    if root is None:
        return
    contexts: dict[str, tuple[date | None, date, tuple[str, ...]]] = {}
    for each in root.iter():
        if _local(each.tag) == "context":
            texts = {_local(part.tag): (part.text or "").strip() for part in each.iter()}
            members = [
                f"{part.get('dimension')}={(part.text or '').strip()}"
                for part in each.iter()
                if _local(part.tag) == "explicitMember"
            ]
            last = texts.get("instant") or texts["endDate"]
            start = date.fromisoformat(texts["startDate"][:10]) if "startDate" in texts else None
            contexts[each.get("id", "")] = start, date.fromisoformat(last[:10]), tuple(members)
    for each in root:
        context = contexts.get(each.get("contextRef", ""))
        value = _decimal(each.text or "")
        if context and value is not None and "us-gaap" in each.tag:
            yield RawFact(cik, number, _local(each.tag), context[0], context[1], value, context[2])


def _auditors(cik: str, number: str, body: str) -> Iterator[RawAuditor]:
    """Read the auditor of the whole company in the last period of an instance, perhaps none."""
    root = _xml(body)
    if root is None:
        return
    ends: dict[str, date] = {}
    for each in root.iter():
        parts = {_local(part.tag): (part.text or "").strip() for part in each.iter()}
        if _local(each.tag) == "context" and "endDate" in parts and "explicitMember" not in parts:
            ends[each.get("id", "")] = date.fromisoformat(parts["endDate"][:10])
    texts: dict[date, list[tuple[str, str]]] = {end: [] for end in ends.values()}
    for each in root:
        name, end = _local(each.tag), ends.get(each.get("contextRef", ""))
        if end is not None and name.startswith("Auditor"):
            texts[end].append((name, each.text or ""))
    if texts:
        last = max(texts)
        yield RawAuditor(cik, number, last, tuple(texts[last]))


def _form_4(number: str, form: str, body: str) -> Iterator[tuple[RawTrade, str]]:
    root = _xml(body)
    if root is None:
        return
    cik = (root.findtext("issuer/issuerCik") or "").zfill(10)
    name = root.findtext("issuer/issuerName") or ""
    for each in root.iter():
        if not each.tag.endswith("Transaction"):
            continue
        day = each.findtext("transactionDate/value")
        shares = each.findtext("transactionAmounts/transactionShares/value")
        if day:
            yield (
                RawTrade(
                    cik,
                    number,
                    form,
                    date.fromisoformat(day[:10]),
                    each.findtext("transactionCoding/transactionCode") or "",
                    Decimal(shares) if shares else None,
                    each.tag.startswith("derivative"),
                    root.findtext("reportingOwner/reportingOwnerId/rptOwnerCik") or "",
                ),
                name,
            )


def _schedule_13(
    body: str, owners: dict[str, list[tuple[str, Decimal]]], names: dict[str, str]
) -> None:
    root = _xml(body)
    if root is None:
        return
    texts = [(_local(each.tag), (each.text or "").strip()) for each in root.iter()]
    cik = next(text for tag, text in texts if tag == "issuerCik").zfill(10)
    names.setdefault(cik, next(text for tag, text in texts if tag == "issuerName"))
    persons = [text for tag, text in texts if tag == "reportingPersonName"]
    percents = [
        _decimal(text.rstrip("% "))
        for tag, text in texts
        if tag == "classPercent" and len(text) < 9
    ]
    pairs = zip(persons, percents, strict=False)
    owners.setdefault(cik, []).extend((name, each) for name, each in pairs if each is not None)


def made_questions(truth: Truth, seed: int) -> list[MadeQuestion]:
    """Make the questions of a seed, those with an answer first."""
    random = Random(seed)
    answered = [
        *_drawn(_part_questions(truth, random), _PARTS, random),
        *_drawn(_trade_questions(truth, random), _TRADES, random),
        *_drawn(_owner_questions(truth, random), _OWNERS, random),
    ]
    numbers = _number_questions(truth, random)
    answered += _drawn(numbers, OF_EACH - len(answered), random)
    if any(each.texts for each in truth.auditors):
        of_auditors = list(_auditor_questions(truth, random))
        sure = [each for each in of_auditors if each.auditors]
        unsure = [each for each in of_auditors if not each.auditors]
        answered += _drawn(iter(sure), _AUDITORS, random)
        answered += _drawn(iter(unsure), _AUDITORS, random)
    return [*answered, *_drawn(_unanswered(truth, random), OF_EACH, random)]


def _drawn(made: Iterator[MadeQuestion], number: int, random: Random) -> list[MadeQuestion]:
    """Draw questions, as evenly as possible of all companies."""
    by_company: dict[str, list[MadeQuestion]] = defaultdict(list)
    for each in dict.fromkeys(made):
        by_company[each.cik or each.kind].append(each)
    for of_company in by_company.values():
        random.shuffle(of_company)
    found: list[MadeQuestion] = []
    while len(found) < number and any(by_company.values()):
        for of_company in by_company.values():
            if of_company and len(found) < number:
                found.append(of_company.pop())
    return found


def _short(name: str) -> str:
    """Return a company's name as people say it: without its legal form, in capitals and small."""
    plain = " ".join(_LEGAL.sub(" ", name.replace(",", " ")).replace(".", " ").strip(" /").split())
    return plain.title() if plain.isupper() else plain


def _named(truth: Truth, cik: str, random: Random) -> str:
    short = _short(truth.names[cik])
    return random.choice([short, short, short.lower(), truth.names[cik].title()])


def _number_questions(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    whole = [fact for fact in truth.facts if not fact.members]
    for item, concepts in _ITEMS.items():
        groups: dict[tuple[str, int, date], list[RawFact]] = defaultdict(list)
        for fact in whole:
            if fact.concept in concepts:
                groups[fact.cik, _months(fact), fact.end].append(fact)
        for (cik, months, end), facts in groups.items():
            period = _period(truth, cik, months, end, random)
            if period and len({fact.value for fact in facts}) == 1:
                words = random.choice(_FORMS).format(
                    name=_named(truth, cik, random), item=item, period=period
                )
                yield MadeQuestion(words, "number", cik, tuple(facts))


_FORMS = (
    "{name} {item} {period}",
    "{name} {period} {item}",
    "what was {name}'s {item} in {period}?",
    "What was the {item} of {name} for {period}?",
    "{item} of {name} {period}",
    "how much {item} did {name} report for {period}",
    "show me {name} {item} for {period}",
)


def _months(fact: RawFact) -> int:
    return 0 if fact.start is None else round(((fact.end - fact.start).days + 1) / 30.44)


def _period(truth: Truth, cik: str, months: int, end: date, random: Random) -> str:
    """Return the words of a period by the fiscal year of its company; "" if it has no name."""
    day = f"{end:%B} {end.day}, {end.year}"
    lengths = {6: "the six months ended", 9: "the nine months ended"}
    if months in lengths:
        return f"{lengths[months]} {day}"
    if cik not in truth.year_ends:
        return ""
    month = truth.year_ends[cik][0]
    # A week of leeway: years of whole weeks end near the end of the month.
    near = end - timedelta(days=7)
    after = (near.month - month - 1) % 12
    year = near.year + (near.month > month)
    quarter = after // 3 + 1
    if months == 0:
        if quarter == 4 and after == 11:
            return random.choice([f"fiscal {year}", f"FY{year}", f"{year}", day])
        return random.choice([day, f"Q{quarter} {year}"])
    if months == 12 and after == 11:
        return random.choice([f"fiscal {year}", f"FY{year}", f"{year}", f"the year ended {day}"])
    if months == 3 and quarter < 4:
        forms = [f"Q{quarter} {year}", f"{year} Q{quarter}", f"{quarter}Q{year % 100:02d}"]
        forms += [f"the quarter ended {day}", f"Q{quarter} FY{year % 100:02d}"]
        return random.choice(forms)
    return ""


def _part_questions(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    groups: dict[tuple[str, str, int, date, str], list[RawFact]] = defaultdict(list)
    for fact in truth.facts:
        if len(fact.members) == 1 and fact.concept in _OF_PARTS:
            item = "operating income" if fact.concept == "OperatingIncomeLoss" else "revenue"
            member = fact.members[0].rpartition(":")[2].removesuffix("Member")
            groups[fact.cik, item, _months(fact), fact.end, member].append(fact)
    for (cik, item, months, end, member), facts in groups.items():
        period = _period(truth, cik, months, end, random)
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member).removesuffix(" Regions").lower()
        if not period or len({fact.value for fact in facts}) > 1:
            continue
        form = random.choice(
            (
                "{item} of {name}'s {part} segment in {period}",
                "{name} {part} {item} {period}",
                "what was {name} {part} segment {item} for {period}",
            )
        )
        name = _named(truth, cik, random)
        text = form.format(item=item, name=name, part=words, period=period)
        yield MadeQuestion(text, "part", cik, tuple(facts))


def _trade_questions(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    groups: dict[tuple[str, str, int, int], list[RawTrade]] = defaultdict(list)
    for trade in truth.trades:
        day = trade.day
        if trade.code in ("P", "S") and not trade.derivative:
            groups[trade.cik, trade.code, day.year, day.month].append(trade)
        groups[trade.cik, "", day.year, day.month].append(trade)
    for (cik, code, year, month), trades in groups.items():
        verbs = {"P": ["buying", "purchases"], "S": ["selling", "sales"], "": ["trades"]}
        when = f"{date(year, month, 1):%B} {year}"
        text = random.choice(
            (
                "insider {verb} at {name} in {when}",
                "{name} insider {verb} {when}",
                "were there insider {verb} at {name} during {when}?",
            )
        ).format(verb=random.choice(verbs[code]), name=_named(truth, cik, random), when=when)
        yield MadeQuestion(text, "trades", cik, trades=tuple(trades))


def _owner_questions(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    for cik in truth.owners:
        for form in (
            "who owns more than 5% of {name}",
            "Who owns more than 5 % of {name}?",
            "5 percent holders of {name}",
            "{name} shareholders with more than five percent",
        ):
            yield MadeQuestion(form.format(name=_named(truth, cik, random)), "owners", cik)


_OF_AUDITOR_NOW = (
    "who audits {name}",
    "{name} auditor",
    "who is {name}'s auditor?",
    "Which firm audits {name}?",
    "auditor of {name}",
)
_OF_AUDITOR_THEN = (
    "who audited {name} in fiscal {year}",
    "{name} auditor {year}",
    "who was the auditor of {name} for FY{year}",
    "auditor of {name} in {year}",
)
_NOT_THE_AUDITOR = (
    "{name} auditor fees {year}",
    "former auditor of {name}",
    "who does {name} audit",
    "why did {name} change its auditor",
    "{name} auditor {year} and 2019",
    "auditor of {name} 2031",
    "auditor of the pension plan of {name}",
    "{name} audit committee {year}",
)


def _auditor_questions(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    """Yield questions about each company's newest report and each year; some have no answer."""
    by_year: dict[tuple[str, int], list[RawAuditor]] = defaultdict(list)
    for report in truth.auditors:
        by_year[report.cik, report.end.year].append(report)
    newest = {cik: max(year for each, year in by_year if each == cik) for cik, _ in by_year}
    for (cik, year), reports in by_year.items():
        name = _named(truth, cik, random)
        named = [
            report
            for report in reports
            if sum(what == "AuditorName" for what, _ in report.texts) == 1
        ]
        sure = tuple(named) if len(named) == len(reports) else ()
        forms = [(_OF_AUDITOR_THEN, sure), (_NOT_THE_AUDITOR, ())]
        if year == newest[cik]:
            forms.append((_OF_AUDITOR_NOW, () if cik in truth.changes else sure))
        for several, answers in forms:
            text = random.choice(several).format(name=name, year=year)
            yield MadeQuestion(
                text, "auditor" if answers else "no answer: auditor", cik, auditors=answers
            )


# Questions that no fact here answers for sure: a condition, a change, a plan, two things, no
# period, another measure, another company.
_WITHOUT_ANSWER = (
    "{name} {item} growth {period}",
    "{name} adjusted {item} {period}",
    "{name} {item} excluding one-time items in {period}",
    "{name} organic {item} {period}",
    "expected {item} of {name} for {period}",
    "{name} {item} guidance {period}",
    "{name} {item} per employee {period}",
    "why did {name} {item} fall in {period}",
    "{name} {item}",
    "{name} {item} {period} vs {other_period}",
    "{name} and {other} {item} {period}",
    "{item} and {other_item} of {name} in {period}",
    "{name} {item} in europe {period}",
    "{name} drone segment {item} {period}",
    "{name} {item} by quarter {period}",
    "{name} {item} 2031",
    "{name} {item} Q3 1987",
    "{name} {item} in the first half of {year}",
    "{name} profit {period}",
    "{name} debt {period}",
    "{name} earnings {period}",
    "{name} ebitda {period}",
    "{name} non-gaap {item} {period}",
    "{name} average {item} {period}",
    "{name} {item} margin {period}",
    "did {name} restate {item} for {period}",
    "{name} {item} not including {other} {period}",
    "share price of {name} {period}",
    "Zyxcorp Industries {item} {period}",
    "the {item} of the parent of {name} in {period}",
    "{item} of {name}'s largest customer in {period}",
    "{name} pension {item} {period}",
    "{name} pro forma {item} {period}",
    "{name} {item} percentile {period}",
    "{name} {item} before {other_period}",
    "{name} {item} since {year}",
    "who audits {name}",
    "who is the chief executive of {name}",
    "who owns {name}",
    "who owns more than 10% of {name}",
    "who owned more than 5% of {name} in {year}",
    "insider buying at {name}",
    "insider buying and selling at {name} in march 2020",
    "insider buying at {name} in march 2031",
    "did the ceo buy shares of {name} in march 2020",
    "insider buying at {name} before march 2020",
    "{name} insider trading policy {year}",
    "largest {item} of {name} in any year",
    "{name} {item} according to analysts {period}",
    "lawsuits about {name} {item} {period}",
)


def _unanswered(truth: Truth, random: Random) -> Iterator[MadeQuestion]:
    ciks = sorted({fact.cik for fact in truth.facts})
    made = list(_number_questions(truth, random))
    periods = sorted(
        {(fact.cik, fact.end, _months(fact)) for q in made for fact in q.facts}, key=str
    )
    for form in _WITHOUT_ANSWER:
        for _ in range(3):
            cik, end, months = random.choice(periods)
            audited = any(each.cik == cik and each.texts for each in truth.auditors)
            if form.startswith("who audits") and audited:
                continue
            other = random.choice([each for each in ciks if each != cik])
            item, other_item = random.sample(sorted(_ITEMS), 2)
            period = _period(truth, cik, months, end, random) or f"FY{end.year}"
            text = form.format(
                name=_named(truth, cik, random),
                other=_short(truth.names[other]),
                item=item,
                other_item=other_item,
                period=period,
                other_period=f"fiscal {end.year - 1}",
                year=end.year,
            )
            yield MadeQuestion(text, f"no answer: {form}")


def judge(truth: Truth, question: MadeQuestion, card: FactAnswer) -> bool:
    """Return True if a card has what the filings have for its question."""
    if question.kind.startswith("no answer") or card.cik != question.cik:
        return False
    if card.number is not None:
        shown = card.number
        return any(
            fact.accession_number == shown.accnum
            and fact.value == shown.value
            and abs((fact.end - shown.end).days) <= 1
            and (fact.start is None) == (shown.start is None)
            and (shown.start is None or abs((fact.start or fact.end) - shown.start).days <= 10)
            for fact in question.facts
        )
    if card.trades is not None:
        found = {(row.accnum, row.trade_date, row.code, row.shares) for row in card.trades.items}
        filed = [each for each in question.trades if not _is_amended(truth, each)]
        return found == {(t.accession_number, t.day, t.code, t.shares) for t in filed}
    if card.auditor is not None:
        shown_texts = {
            ("AuditorName", card.auditor.name),
            ("AuditorLocation", card.auditor.location),
            ("AuditorFirmId", card.auditor.firm_id),
        }
        return any(
            report.accession_number == card.auditor.accnum and set(report.texts) == shown_texts
            for report in question.auditors
        )
    persons = [(p.name, p.percent) for stake in card.owners for p in stake.persons]
    return bool(card.owners) and persons == truth.owners.get(question.cik)


def _is_amended(truth: Truth, trade: RawTrade) -> bool:
    """Return True if a later form has the same trade as an amendment."""
    return any(
        each.form.endswith("/A")
        and each.accession_number != trade.accession_number
        and (each.cik, each.owner, each.day, each.code)
        == (trade.cik, trade.owner, trade.day, trade.code)
        for each in truth.trades
    )


async def judged_cards(
    context: Context, truth: Truth, questions: Sequence[MadeQuestion]
) -> list[JudgedCard]:
    """Ask all questions, one after the other."""
    found = []
    for question in questions:
        began = time.monotonic()
        card = (await FIND_ANSWER.answer(context, {"query": [question.text]})).answer
        seconds = time.monotonic() - began
        right = card is not None and judge(truth, question, card)
        found.append(JudgedCard(question, card, right, seconds))
    return found


def _print_figures(judged: Sequence[JudgedCard]) -> None:
    shown = [each for each in judged if each.card]
    right = sum(each.right for each in shown)
    precision = right / len(shown) if shown else 1.0
    print(f"{len(judged)} questions, {len(shown)} cards, {right} right: precision {precision:.3f}")
    for kind in ("number", "part", "trades", "owners", "auditor"):
        of_kind = [each for each in judged if each.question.kind == kind]
        right = sum(each.right for each in of_kind)
        print(f"{kind:9}{len(of_kind):4} with an answer, {right:4} right cards")
    answered = [each for each in judged if not each.question.kind.startswith("no answer")]
    got = sum(each.card is not None for each in answered)
    print(f"{len(answered)} with an answer, {got / len(answered):.3f} of them with a card")
    without = [each for each in judged if each.question.kind.startswith("no answer")]
    print(f"{len(without)} without one, {sum(e.card is not None for e in without)} with a card")
    cuts = quantiles([each.seconds for each in judged], n=20)
    print(f"reading and answer: p50 {1_000 * cuts[9]:.0f} ms, p95 {1_000 * cuts[18]:.0f} ms")


def _shown(card: FactAnswer) -> str:
    if card.number is not None:
        days = f"{card.number.start or ''}..{card.number.end}"
        return f"{card.name}, {card.number.item}, {days}, {card.number.value}, {card.number.accnum}"
    if card.trades is not None:
        rows = (
            f"{row.accnum} {row.trade_date} {row.code} {row.shares}" for row in card.trades.items
        )
        return f"{card.name}, {card.trades.side}: {'; '.join(rows)}"
    if card.auditor is not None:
        return (
            f"{card.name}, {card.auditor.name}, {card.auditor.fiscal_year}, {card.auditor.accnum}"
        )
    people = (f"{each.name} {each.percent}" for stake in card.owners for each in stake.persons)
    return f"{card.name}: {'; '.join(people)}"


async def _print(settings: Settings, corpus: Path, seeds: Sequence[int], *, each: bool) -> None:
    truth = read_corpus(corpus)
    engine = Engine.from_settings(settings)
    judged: list[JudgedCard] = []
    try:
        context = Context.of_command(engine, settings)
        for seed in seeds:
            judged += await judged_cards(context, truth, made_questions(truth, seed))
    finally:
        await engine.close()
    for found in judged if each else ():
        has_answer = not found.question.kind.startswith("no answer")
        if found.card is not None and not found.right:
            print(f"WRONG {found.question.text!r}: {_shown(found.card)}")
            of_question = found.question
            for filed in (*of_question.facts, *of_question.trades, *of_question.auditors):
                print(f"    filed: {', '.join(map(str, filed))}")
        elif found.card is None and has_answer:
            print(f"no card: {found.question.text!r}")
    _print_figures(judged)


def main() -> None:
    """Print precision, and the share of questions with an answer that got a card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="wrong cards, and answers without one")
    parser.add_argument("--seed", type=int, nargs="+", default=[SEED])
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, help="the folder of real EDGAR files"
    )
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    asyncio.run(_print(settings, options.corpus, options.seed, each=options.each))


if __name__ == "__main__":
    main()
