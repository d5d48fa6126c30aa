"""The searches of one account while another attacks: the table of all attacks.

`python -m pytest -s tests/torture/test_attacks.py` prints it. Each attack has a goal: how many
times as long the other account's searches may take, at the median and at the 99th percentile.
Samples alone and beside the attack take turns, so that other work on the machine is in both.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import aiohttp
import pytest

from edgar_search.api.tables import MOST_CELLS
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation
from tests.torture.attacks import ATTACKS, Ground, attacked
from tests.torture.filings import accession, write_filings, write_statements, write_table
from tests.torture.service import Target, Times, command, new_key, serving, timed

pytestmark = pytest.mark.anyio
SAMPLES, SEARCHES = 5, 200
# In short: one sample, and another where it was too slow.
IN_SHORT = "dearest queries"
SEARCHES_IN_SHORT, TRIES = 60, 3
CORPUS = Path(os.environ.get("EDGAR_SEARCH_TEST_CORPUS", CHECKOUT.parent / "shared" / "edgar"))
LONG_TEXT = 1_000_000
LONG_DOCUMENT = f"{accession(0)}-1"
# A document with a table of nearly as many cells as an answer may have.
TABLE = 900_000
TABLE_DOCUMENT = f"{accession(TABLE)}-1"
# Lines of each of three statements: three times as many as the longest of the real corpus has.
LINES = 130
# Where there is no real corpus: about as much text, in made-up filings.
SUBMISSIONS, CHARACTERS = 300, 150_000
# Until an attack is under way, and until what it left has ended.
_BEGIN_SECONDS, _END_SECONDS = 1.5, 1.0
# What a minute of a busy account asks for, about as often as each: mostly words of filings.
_WORDS = (
    "revenue goodwill impairment merger dividend restructuring covenant liquidity restatement"
    " litigation inventory derivative cybersecurity pension warrant debenture subsidiary auditor"
    " lease royalty patent tariff hurricane pandemic indemnification arbitration escrow trustee"
    " swap hedge franchise backlog divestiture spin bankruptcy workforce union severance chairman"
    " quarry3 quarry19 quarry40 quarry77 quarry101 marble moss"
).split()
PAIRS = list(combinations(_WORDS, 2))
_FORMS = ("{0} {1}", "{0} OR {1}", '"{0} {1}"', "{0} AND {1}*", "{0} NOT {1}")


class Row(NamedTuple):
    """The ratios of searches beside an attack to searches alone, as the medians of all samples."""

    name: str
    p50: float
    p99: float

    def __str__(self) -> str:
        return f"{self.name:45} {self.p50:8.1f} {self.p99:8.1f}"


class Field(NamedTuple):
    """A service that is ready to be attacked: its settings, who asks there, a long document."""

    settings: Settings
    asking: Target
    document_id: str

    def ground(self, name: str) -> Ground:
        """The resources of an attacker, with an account of its own, of which nothing is open."""
        account = f"attacker by {name}"
        token = command(self.settings, "edgar_search.cli", "token", "--sub", account)
        key = new_key(self.settings, account)
        return Ground(self.asking.url, key, token, self.document_id, TABLE_DOCUMENT)


def field_of(settings: Settings, target: Target, document_id: str) -> Field:
    """Return the field, where an account of its own asks."""
    return Field(settings, target._replace(key=new_key(settings, "asking")), document_id)


@pytest.fixture(scope="module")
def field(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Field]:
    """A service with the limits that it has by default, over the real corpus if it is present."""
    home = tmp_path_factory.mktemp("attacks")
    settings = installation(
        engine_settings, "attacks", home, local_issuer=True, pages="open", es_timeout=10.0
    )
    try:
        write_filings(home / "long", 1, LONG_TEXT)
        write_table(home / "long", TABLE, MOST_CELLS // 10 - 100)
        write_statements(home / "long", LINES)
        filings = CORPUS / "filings"
        if not filings.is_dir():
            filings = home / "filings"
            write_filings(filings, SUBMISSIONS, CHARACTERS, first=1)
        command(settings, "ingest.cli", "load", str(filings), str(home / "long"), "--workers", "2")
        with serving(settings, home) as target:
            yield field_of(settings, target, LONG_DOCUMENT)
        assert not target.faults()
    finally:
        asyncio.run(remove_everything(settings))


@pytest.fixture(scope="module")
def small_field(settings: Settings, target: Target) -> Field:
    """The service over made-up filings that all modules share."""
    return field_of(settings, target, LONG_DOCUMENT)


@pytest.fixture(scope="module")
def table() -> Iterator[list[Row]]:
    """All rows that were measured, which are printed at the end."""
    rows: list[Row] = []
    yield rows
    print(f"\n{'attack':45} {'p50 x':>8} {'p99 x':>8}", *rows, sep="\n")


async def searches(client: aiohttp.ClientSession, url: str, number: int, seed: int) -> Times:
    """Return this many different searches, one after the other."""
    random, times = Random(seed), Times([], Counter())
    for pair in random.sample(PAIRS, number):
        query = random.choice(_FORMS).format(*pair)
        await timed(client, times, f"{url}/v1/search", query=query)
    return times


async def measured(field: Field, name: str, samples: int, number: int) -> Row:
    """The searches of one account, this many a sample, alone and beside an attack by another."""
    p50, p99 = [], []
    alone, beside = Times([], Counter()), Times([], Counter())
    attacker: Counter[int | str] = Counter()
    ground = await asyncio.to_thread(field.ground, name)
    async with field.asking.client() as client:
        url = field.asking.url
        await searches(client, url, number, samples)
        for seed in range(samples):
            usual = await searches(client, url, number, seed)
            with attacked(name, ground) as ended:
                await asyncio.sleep(_BEGIN_SECONDS)
                under = await searches(client, url, number, seed + samples)
            await asyncio.sleep(_END_SECONDS)
            p50.append(under.quantile(0.5) / usual.quantile(0.5))
            p99.append(under.quantile(0.99) / usual.quantile(0.99))
            attacker.update(ended)
            alone.extend(usual)
            beside.extend(under)
    assert set(alone.ended) == set(beside.ended) == {200}, (alone, beside)
    status = ATTACKS[name].status
    assert attacker.total() if status is None else attacker[status], attacker
    print(f"{name}: alone {alone}; beside {beside}; the attacker {dict(attacker)}")
    return Row(name, median(p50), median(p99))


@pytest.mark.long
@pytest.mark.parametrize("name", ATTACKS)
async def test_attack_leaves_searches_of_another_account_quick(
    field: Field, table: list[Row], name: str
) -> None:
    row = await measured(field, name, SAMPLES, SEARCHES)
    table.append(row)
    assert max(row.p50, row.p99) < ATTACKS[name].goal, row


async def test_attack_leaves_searches_of_another_account_quick_in_short(small_field: Field) -> None:
    found, goal = list[float](), ATTACKS[IN_SHORT].goal
    while len(found) < TRIES and min(found, default=goal) >= goal:
        found.append((await measured(small_field, IN_SHORT, 1, SEARCHES_IN_SHORT)).p50)
    assert min(found) < goal
