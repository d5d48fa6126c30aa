"""A draft of 120 claims that are known to be right or wrong, checked against the loaded filings.

    python -m evaluation.drafts [--each] [--seed 7 8 9] [--memo]

Half of the claims are drawn from the filings as they are, half are changed in ways that people and
language models get wrong: a digit, a unit, a year, another item, a dropped `not`, a changed word,
two sentences joined, a cut word, another filing. They are written in several forms: in Markdown,
with an omission, with clauses before and after, rounded, with two numbers in a sentence. Numbers
are of companies, and some of their segments, products and regions, if filings have any. Some
sentences deny a right number or put a condition to it: these must not be supported or contradicted.

Precision is the share of verdicts that are right, recall the share of claims that get the right
verdict; verdicts such as `ambiguous` decide nothing. With `--memo` it prints the times of a memo of
ten pages instead.

It reads the installation that the settings name, as `python -m evaluation.ranking` does.
"""

import argparse
import asyncio
import os
import re
import time
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from random import Random
from statistics import median
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct, field

from edgar_search.api.context import Context
from edgar_search.api.draft import DraftParams, check_draft, claims_of
from edgar_search.api.draft_claims import CheckedClaim
from edgar_search.edgar.identifiers import accession_of, document_address
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.filings import StoredFiling, StoredPassage
from edgar_search.stored.financials import StoredFact

Kind: TypeAlias = Literal["quote", "citation", "number"]
SEED = 7
# Claims of each kind that are right, and as many that are wrong.
QUOTES, CITATIONS, NUMBERS, PARTS = 30, 15, 15, 4
_RIGHT = ("exact", "normalised", "same", "supported")
_WRONG = ("altered", "elsewhere", "absent", "unknown", "contradicted")
_SENTENCE = re.compile(r"(?<=[a-z]\.)\s+(?=[A-Z])")
_WORDS = {
    "revenue": "revenue",
    "net_income": "net income",
    "operating_income": "operating income",
    "total_assets": "total assets",
    "cash": "cash and cash equivalents",
    "gross_profit": "gross profit",
    "research_and_development": "research and development expenses",
    "goodwill": "goodwill",
    "inventory": "inventories",
    "income_tax": "income tax expense",
}
# Concepts that revenue is made of, which reports have by parts of the company.
_REVENUE = [
    "Revenues",
    "SalesRevenueNet",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
]
# Sentences of a quote; in some the words are written in Markdown, or with an omission.
_QUOTING = (
    "They wrote: “{words}” ({number}).",
    "According to {number}, “{words}” – which the board should note, as revenue was $5 million.",
    'In its report (see [the filing]({number})), it said that *"{words}"*, and nothing more.',
    "It was not said by the press but by the filing: ‘{words}’ [{number}].",
    "> {words}\n\n(Source: {number})",
    "Quite to the point, {number} has it: «{words}»!",
)
# Sentences of a number; `{ended}` has a capital letter.
_STATING = (
    "{name} reported {item} of {amount} {when}.",
    "{ended}, {item} of {name} was {amount}.",
    "{name}’s {item} came to {amount} {when}.",
    "{ended}, {name} had {item} of roughly **{amount}**, which the board had hoped for.",
    "The audit came late. {amount} was {name}’s {item} {when}.",
    "At {name}, {item} totaled {amount} {when}; the board was pleased.",
    "{ended}, {name} recorded {item} of {amount} (see the report).",
)
# Sentences that say something else of a right number.
_UNSURE = {
    "a denial": "{name} did not report {item} of {amount} {when}.",
    "a condition": "Excluding one-time charges, {name} had {item} of {amount} {when}.",
    "a part": "{name}’s segment in Europe had {item} of {amount} {when}.",
    "a change": "{name}’s {item} increased by {amount} {when}.",
    "a bound": "{name}’s {item} was more than {amount} {when}.",
    "a plan": "{name} expects {item} of {amount} {when}.",
}
# Sentences of a number of a part.
_OF_PARTS = (
    "{name}’s {part} net sales were {amount} {when}.",
    "{ended}, the {part} segment of {name} had net sales of {amount}.",
    "{ended}, {name}’s {part} segment had net sales of {amount}.",
    "{name}’s net sales in {part} were {amount} {when}.",
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LOSSES = {"net_income": "net loss", "operating_income": "operating loss"}


class MadeClaim(NamedTuple):
    """A paragraph of the draft with a claim in it, from `start` to `end`, and how it is wrong.

    `fault` is "" for a claim that is right.
    """

    kind: Kind
    text: str
    start: int
    end: int
    fault: str = ""


class _PassageHit(Struct):
    source: StoredPassage = field(name="_source")


class _FilingHit(Struct):
    source: StoredFiling = field(name="_source")


class _FactHit(Struct):
    source: StoredFact = field(name="_source")


async def _drawn(
    engine: Engine, kind: Any, hit: type[Any], seed: int, size: int, query: dict[str, Any]
) -> list[Any]:
    """Return rows of an index that match, in an order by chance that the seed decides."""
    score = {"seed": seed, "field": "_seq_no"}
    body = {
        "query": {"function_score": {"query": query, "random_score": score}},
        "size": size,
        "track_total_hits": False,
    }
    return [each.source for each in (await engine.search(kind, body, hit)).hits.hits]


def quote_claims(passages: Sequence[StoredPassage], random: Random) -> Iterator[MadeClaim]:
    """Yield sentences of passages with the number of their filing, as they are and changed."""
    found: list[tuple[str, str]] = []
    for passage in passages:
        sentences = [" ".join(each.split()) for each in _SENTENCE.split(passage.text)[1:-1]]
        good = [
            sentence for sentence in sentences if 70 < len(sentence) < 320 and _is_plain(sentence)
        ]
        if good:
            found.append((random.choice(good), accession_of(passage.document_id)))
    for turn, (words, number) in enumerate(found[:QUOTES]):
        yield _quote(words, number, turn=turn)
    changed = 0
    rest = found[QUOTES:]
    for place, (words, number) in enumerate(rest):
        other, other_number = rest[place - 1]
        fault, wrong = _changed(words, other, changed, random)
        if fault == "another filing":
            yield _quote(words, other_number, fault, changed)
        elif wrong == words:
            continue
        else:
            yield _quote(wrong, number, fault, changed // 6)
        changed += 1
        if changed == QUOTES:
            return


def _is_plain(sentence: str) -> bool:
    return not re.search(r"[\"“”‘«»\[\]<>…]|\.\.", sentence)


def _quote(words: str, number: str, fault: str = "", turn: int = 0) -> MadeClaim:
    """Return a quote in one of the forms, in each of which its turn is another number."""
    form = _QUOTING[turn % len(_QUOTING)]
    split = words.split()
    shown = words
    if not fault and turn % 5 == 3 and len(split) > 14:
        shown = " ".join([*split[:7], "...", *split[-6:]])
    elif turn % 4 == 2:
        middle = len(split) // 2
        shown = " ".join([*split[:middle], f"**{split[middle]}**", *split[middle + 1 :]])
    text = form.format(words=shown, number=number)
    start = text.index(shown)
    if form.startswith(">"):
        return MadeClaim("quote", text, 0, start + len(shown), fault)
    return MadeClaim("quote", text, start - 1, start + len(shown) + 1, fault)


def _changed(words: str, other: str, turn: int, random: Random) -> tuple[str, str]:
    """Return words with a fault, of which each has its turn.

    The same words if it does not apply.
    """
    split = words.split()
    faults = {
        "a digit": lambda: _with_other_digit(words, random),
        "not dropped": lambda: words.replace(" not ", " ", 1),
        "a word": lambda: words.replace(
            max(split, key=len), max(other.split(), key=len).strip(".,;"), 1
        ),
        "two joined": lambda: " ".join([*split[: len(split) // 2], *other.split()[-8:]]),
        "a cut word": lambda: re.sub(r"(?<=[a-z])[a-z]{2}\.?$", "", words),
        "another filing": lambda: words,
    }
    order = ["a digit", "not dropped", "a word", "two joined", "a cut word", "another filing"]
    fault = order[turn % len(order)]
    changed = faults[fault]()
    if changed == words and fault != "another filing":
        fault, changed = "a word", faults["a word"]()
    return fault, changed


def _with_other_digit(text: str, random: Random) -> str:
    places = [match.start() for match in re.finditer(r"[0-9]", text)]
    if not places:
        return text
    place = random.choice(places)
    digit = random.choice([each for each in "123456789" if each != text[place]])
    return f"{text[:place]}{digit}{text[place + 1 :]}"


def citation_claims(filings: Sequence[StoredFiling]) -> Iterator[MadeClaim]:
    """Yield filings as they may be cited, and filings and documents that are not here."""
    for place, filing in enumerate(filings[:CITATIONS]):
        number, documents = filing.accession_number, filing.documents
        address = document_address(number, filing.ciks[0], documents[0].file_name)
        index = f"{address.rpartition('/')[0]}/{number}-index.htm"
        ways = (number, documents[0].document_id, number.replace("-", ""), address, index)
        yield _citation(ways[place % len(ways)], turn=place)
    for place, filing in enumerate(filings[CITATIONS : 2 * CITATIONS]):
        number = filing.accession_number
        gone = f"{number[:11]}{(int(number[11:13]) + 31) % 100:02d}{number[13:]}"
        address = document_address(number, filing.ciks[0], "no-such-file.htm")
        faults = {
            "another year": gone,
            "no such document": f"{number}-999",
            "no such file": address,
        }
        fault = [*faults][place % len(faults)]
        yield _citation(faults[fault], fault, place // 3)


_CITING = (
    "See {} for more.",
    "That is stated there.[^1]\n\n[^1]: {}",
    "It is [there]({}), we think.",
)


def _citation(cited: str, fault: str = "", turn: int = 0) -> MadeClaim:
    text = _CITING[turn % len(_CITING)].format(cited)
    start = text.index(cited)
    return MadeClaim("citation", text, start, start + len(cited), fault)


def number_claims_of(facts: Sequence[StoredFact], random: Random) -> Iterator[MadeClaim]:
    """Yield facts as sentences, with their rounded values and with wrong ones."""
    by_key = {(row.cik, row.concept, row.start, row.end): row for row in facts}
    good = [row for row in facts if row.local_name in _WORDS and abs(Decimal(row.value)) > 10**6]
    for turn, row in enumerate(good[:NUMBERS]):
        yield _number(row, Decimal(row.value), row.end, turn=turn)
    for (fault, form), row in zip(_UNSURE.items(), good[2 * NUMBERS :], strict=False):
        yield _number(row, Decimal(row.value), row.end, fault, form=form)
    faults = ("a digit", "a unit", "a year", "another item", "rounded up")
    for place, row in enumerate(good[NUMBERS : 2 * NUMBERS]):
        fault, value, end = faults[place % len(faults)], Decimal(row.value), row.end
        others = [
            Decimal(each.value)
            for key, each in by_key.items()
            if key[0] == row.cik and each.concept != row.concept and key[2:] == (row.start, row.end)
        ]
        said = abs(value)
        if fault == "another item" and others:
            said = abs(random.choice(others))
        elif fault == "a unit":
            said = abs(value) / 1000
        elif fault == "rounded up":
            said = abs(value) * Decimal("1.02")
        elif fault == "a year" and (before := _of_year_before(row, facts)) is not None:
            said = abs(Decimal(before.value))
        else:
            fault, said = "a digit", abs(value) * Decimal("1.1")
        if abs(said - abs(value)) > abs(value) / 100 and said > 1000:
            yield _number(row, said if value > 0 else -said, end, fault, place // 5)


def part_claims(rows: Sequence[StoredFact], random: Random) -> Iterator[MadeClaim]:
    """Yield revenue of segments, products and regions, every second one changed."""
    good = [row for row in rows if len(row.dimensions) == 1 and _is_named(row)]
    for turn, row in enumerate(good[: 2 * PARTS]):
        value, fault = Decimal(row.value), ""
        if turn % 2:
            same = [
                Decimal(each.value)
                for each in rows
                if (each.cik, each.start, each.end) == (row.cik, row.start, row.end)
                and each.dimensions != row.dimensions
            ]
            fault = "another part" if same and turn % 4 == 1 else "a digit"
            value = random.choice(same) if fault == "another part" else value * Decimal("1.1")
        member = row.dimensions[0].partition("=")[2].rpartition(":")[2].removesuffix("Member")
        form = _OF_PARTS[turn % len(_OF_PARTS)].replace("{part}", _CAPITAL.sub(" ", member))
        yield _number(row, value, row.end, fault, form=form)


def _of_year_before(row: StoredFact, facts: Sequence[StoredFact]) -> StoredFact | None:
    alike = (fact for fact in facts if (fact.cik, fact.concept) == (row.cik, row.concept))
    return next((each for each in alike if 350 < (row.end - each.end).days < 380), None)


def _number(
    row: StoredFact,
    value: Decimal,
    end: date,
    fault: str = "",
    turn: int = 0,
    form: str = "",
) -> MadeClaim:
    words = _LOSSES[row.local_name] if value < 0 and row.local_name in _LOSSES else ""
    scale, name = (10**9, "billion") if abs(value) >= 10**9 else (10**6, "million")
    amount = f"${abs(value) / scale:,.{1 if turn % 2 and not fault else 2}f} {name}"
    day = f"{end:%B} {end.day}, {end.year}"
    if row.start is None:
        when = f"as of {day}"
    else:
        months = round((row.end - row.start).days / 30.4)
        lengths = {3: "the quarter", 12: "the year"}
        names = {6: "six", 9: "nine"}
        when = f"for {lengths.get(months) or f'the {names.get(months)} months'} ended {day}"
    item = words or _WORDS.get(row.local_name, "")
    text = (form or _STATING[turn % len(_STATING)]).format(
        name=row.name.title().replace("/", ""),
        item=item,
        amount=amount,
        when=when,
        ended=when[0].upper() + when[1:],
    )
    start = text.index("$")
    return MadeClaim("number", text, start, start + len(amount), fault)


async def made_claims(engine: Engine, seed: int) -> list[MadeClaim]:
    """Return the claims of a draft, in an order by chance."""
    random = Random(seed)
    passages = await _drawn(engine, "passages", _PassageHit, seed, 400, {"match_all": {}})
    has_file = {"exists": {"field": "accession_number"}}
    filings = await _drawn(engine, "filings", _FilingHit, seed, 2 * CITATIONS, has_file)
    standard = {"bool": {"filter": [{"term": {"taxonomy": "standard"}}]}}
    facts = await _drawn(engine, "facts", _FactHit, seed, 5_000, standard)
    certain = [row for row in facts if not row.doubt and not row.superseded_by and _is_named(row)]
    of_parts = {
        "bool": {
            "filter": [{"exists": {"field": "dimensions"}}, {"terms": {"local_name": _REVENUE}}]
        }
    }
    parts = await _drawn(engine, "facts", _FactHit, seed, 200, of_parts)
    claims = [
        *quote_claims(passages, random),
        *citation_claims(filings),
        *number_claims_of(certain, random),
        *part_claims(parts, random),
    ]
    random.shuffle(claims)
    return claims


def _is_named(row: StoredFact) -> bool:
    months = round((row.end - row.start).days / 30.4) if row.start else 0
    return months in (0, 3, 6, 9, 12)


class Checked(NamedTuple):
    """A claim and the verdict that it got; "" if it was not read as a claim."""

    claim: MadeClaim
    verdict: str
    said: CheckedClaim | None


async def check(context: Context, claims: Sequence[MadeClaim]) -> list[Checked]:
    """Check all claims as one draft, a paragraph for each."""
    draft = "\n\n".join(each.text for each in claims)
    found: dict[tuple[int, int], CheckedClaim] = {}
    begin, everything = 0, claims_of(draft)
    while begin < len(everything):
        reply = await check_draft(context, DraftParams(draft, everything, begin))
        begin += len(reply.claims)
        found |= {(each.start, each.end): each for each in reply.claims}
    checked, place = [], 0
    for claim in claims:
        said = found.get((place + claim.start, place + claim.end))
        checked.append(Checked(claim, said.verdict if said else "", said))
        place += len(claim.text) + 2
    return checked


class Figures(NamedTuple):
    """Counts of the claims that are right or wrong (`claims`), said to be so, and truly so."""

    claims: int
    said: int
    true: int

    def __str__(self) -> str:
        precision = self.true / self.said if self.said else 1.0
        recall = self.true / self.claims if self.claims else 1.0
        return f"{self.claims:4} claims, precision {precision:.3f}, recall {recall:.3f}"


def figures(checked: Sequence[Checked], kind: Kind, *, right: bool) -> Figures:
    """Return the figures of the verdicts that say right, or wrong, of claims of a kind."""
    verdicts = _RIGHT if right else _WRONG
    of_kind = [each for each in checked if each.claim.kind == kind]
    sure = [each for each in of_kind if each.claim.fault not in _UNSURE]
    such = [each for each in sure if (not each.claim.fault) == right]
    said = [each for each in of_kind if each.verdict in verdicts]
    return Figures(len(such), len(said), sum(each in such for each in said))


# A memo of ten pages has so many characters, and so many of these claims.
_MEMO, _MEMO_CLAIMS, _MEMO_RUNS = 30_000, 24, 9
_PROSE = "The board has discussed this at length, and nothing in it is taken from a filing. "


def memo(claims: Sequence[MadeClaim]) -> str:
    """A text of ten pages with a claim in every second paragraph or so."""
    filler = _PROSE * (_MEMO // _MEMO_CLAIMS // len(_PROSE))
    return "\n\n".join(f"{filler}\n\n{claim.text}" for claim in claims[:_MEMO_CLAIMS])


async def _time_memo(context: Context, claims: Sequence[MadeClaim]) -> None:
    text, seconds, own = memo(claims), [], []
    for _ in range(_MEMO_RUNS):
        began, used = time.monotonic(), time.process_time()
        reply = await check_draft(context, DraftParams(text, claims_of(text), 0))
        seconds.append(time.monotonic() - began)
        own.append(time.process_time() - used)
    print(
        f"a memo of {len(text):,} characters with {reply.claim_count} claims:"
        f" p50 {median(seconds):.2f} s, the slowest of {_MEMO_RUNS} {max(seconds):.2f} s;"
        f" of the CPU the service takes {median(own):.2f} s"
    )


async def _print(settings: Settings, seeds: Sequence[int], *, each: bool, timed: bool) -> None:
    engine = Engine.from_settings(settings)
    checked: list[Checked] = []
    began = time.monotonic()
    try:
        context = Context.of_command(engine, settings)
        for seed in seeds:
            claims = await made_claims(engine, seed)
            if timed:
                await _time_memo(context, claims)
            else:
                checked += await check(context, claims)
    finally:
        await engine.close()
    if timed:
        return
    shown = ", ".join(map(str, seeds))
    print(f"{len(checked)} claims by seed {shown}, checked in {time.monotonic() - began:.1f} s")
    for kind in ("quote", "citation", "number"):
        for right in (True, False):
            print(f"{kind:9} {'right' if right else 'wrong'} {figures(checked, kind, right=right)}")
    unsure = [found for found in checked if found.claim.fault in _UNSURE]
    decided = sum(found.verdict in (*_RIGHT, *_WRONG) for found in unsure)
    print(f"{len(unsure)} numbers that cannot be told: {decided} of them supported or contradicted")
    for found in checked if each else ():
        _print_wrong(found)


def _print_wrong(found: Checked) -> None:
    claim, verdict, said = found
    if claim.fault in _UNSURE:
        is_wrong = verdict in (*_RIGHT, *_WRONG)
    else:
        is_wrong = verdict not in (_WRONG if claim.fault else _RIGHT)
    if is_wrong:
        reason = said.reason if said else "not read"
        print(f"\n{claim.fault or 'right'}: {verdict or '-'} ({reason})\n{claim.text}")
        print(said.found if said else "")


def main() -> None:
    """Print precision and recall by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="the claims without their verdict")
    parser.add_argument("--memo", action="store_true", help="the times of a memo of ten pages")
    parser.add_argument("--seed", type=int, nargs="+", default=[SEED])
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    asyncio.run(_print(settings, options.seed, each=options.each, timed=options.memo))


if __name__ == "__main__":
    main()
