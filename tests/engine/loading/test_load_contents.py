"""The stored entries of a loaded filing: every field of every index."""

import gzip
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from edgar_search.archive.archive import open_archive
from edgar_search.engine.contents import contents_made
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from edgar_search.stored.filings import ArchivedFile, FilingDocument, FilingEntity, StoredFiling
from edgar_search.stored.installation import LedgerEntry
from edgar_search.text.versions import HTML_TEXT, PLAIN_TEXT
from ingest.loading.ledger import read_entries
from ingest.loading.summary import Summary
from tests.support.archived import file_in, member
from tests.support.loading import counts, load_now, stored, text_of
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
NUMBER = "0009990010-21-000001"
MARBLE = MadeUpEntity(
    "0009990010",
    "MARBLE & MOSS CORP",
    role="SUBJECT COMPANY",
    sic="3281",
    sic_description="CUT STONE",
    state="VT",
    fiscal_year_end="1231",
    address=Address("1 QUARRY ROAD", "STONEFIELD"),
    former_names=(("MOSS CORP", date(2001, 2, 3)),),
)
GRAVEL = MadeUpEntity("0009990011", "GRAVEL FUND", role="FILED BY")
PARAGRAPH = "Quarries were bought in the \u201cthird\u201d quarter; Moss\u2019s cost rose. " * 30
PAGE = "<html><body><p>Stone &amp; gravel</p><script>hidden</script></body></html>\n"
FILING = MadeUp(
    NUMBER,
    entities=(MARBLE, GRAVEL, msgspec.structs.replace(MARBLE, name="MARBLE AGAIN", sic="")),
    form_type="SC 13D/A",
    filing_date=date(2021, 1, 5),
    period=date(2020, 12, 31),
    accepted="20210104171500",
    documents=(
        MadeUpDocument(
            f"<PAGE>\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n\n{PARAGRAPH}\n",
            "SC 13D/A",
            "body.txt",
            "REPORT",
        ),
        MadeUpDocument(PAGE, "EX-99.1", "page.htm"),
        MadeUpDocument("begin 644 logo.jpg\n#0V%T\n`\nend\n", "GRAPHIC", "logo.jpg"),
        MadeUpDocument("\n", "EX-99.2"),
    ),
)
PLAIN = PARAGRAPH.strip().replace("\u2019", "'")
TEXT = "\n\n".join([PLAIN] * 3)
DATA = txt(FILING)


@pytest.fixture(scope="module", autouse=True)
def summary(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Summary:
    """The load that the tests look at."""
    return load_now(settings, tmp_path_factory.mktemp("files"), {f"{NUMBER}.txt": DATA})


async def only(engine: Engine, kind: Any) -> dict[str, Any]:
    (hit,) = await stored(engine, kind, NUMBER)
    return hit.source


async def loaded_at(engine: Engine) -> datetime:
    (entry,) = (await read_entries(engine, [NUMBER])).values()
    assert abs((datetime.now(UTC) - entry.seen_at).total_seconds()) < 60
    return entry.seen_at


def test_summary_counts_what_was_stored(summary: Summary) -> None:
    assert counts(summary) == (1, 0, 0, 0)
    assert (summary.documents, summary.characters) == (2, len(TEXT) + len("Stone & gravel"))


async def test_filing_has_all_that_the_submission_says(engine: Engine, settings: Settings) -> None:
    found = msgspec.convert(await only(engine, "filings"), StoredFiling)
    assert found.archive is not None
    assert found == StoredFiling(
        accession_number=NUMBER,
        form_type="SC 13D/A",
        filing_date=date(2021, 1, 5),
        ciks=["0009990010", "0009990011"],
        sics=["3281"],
        entities=[
            FilingEntity(
                "SUBJECT COMPANY",
                "0009990010",
                "MARBLE & MOSS CORP",
                "3281",
                sic_description="CUT STONE",
                state_of_incorporation="VT",
                fiscal_year_end="1231",
                business_city="STONEFIELD",
            ),
            FilingEntity("FILED BY", "0009990011", "GRAVEL FUND"),
            FilingEntity(
                "SUBJECT COMPANY",
                "0009990010",
                "MARBLE AGAIN",
                state_of_incorporation="VT",
                fiscal_year_end="1231",
                business_city="STONEFIELD",
            ),
        ],
        documents=[
            FilingDocument(f"{NUMBER}-1", "SC 13D/A", "REPORT", body_size(0), "body.txt"),
            FilingDocument(f"{NUMBER}-2", "EX-99.1", "", body_size(1), "page.htm"),
            FilingDocument(f"{NUMBER}-3", "GRAPHIC", "", 3, "logo.jpg"),
            FilingDocument(f"{NUMBER}-4", "EX-99.2", "", 1, ""),
        ],
        loaded_at=await loaded_at(engine),
        root_form="SC 13D",
        incorporation_states=["VT"],
        primary=0,
        entity_name="MARBLE & MOSS CORP",
        entity_name_key="marble & moss corp",
        size=len(DATA),
        period=date(2020, 12, 31),
        accepted_at=datetime(2021, 1, 4, 22, 15, tzinfo=UTC),
        archive=found.archive,
    )


def body_size(place: int) -> int:
    return len(FILING.documents[place].body.encode())


async def test_archive_gives_back_the_submission_and_each_document(
    engine: Engine, settings: Settings
) -> None:
    archived = msgspec.convert((await only(engine, "filings"))["archive"], ArchivedFile)
    store = open_archive(settings.archive_place)
    assert gzip.decompress(file_in(store, archived.path)) == DATA
    pieces = [
        member(store, archived.path, offset, length) for offset, length, _, _ in archived.members
    ]
    assert [piece[:10] for piece in pieces[1:]] == [b"<DOCUMENT>"] * 4
    assert b"".join(pieces) == DATA


async def test_documents_are_those_with_text(engine: Engine) -> None:
    header = {
        "accession_number": NUMBER,
        "form_type": "SC 13D/A",
        "filing_date": "2021-01-05",
        "ciks": ["0009990010", "0009990011"],
        "sics": ["3281"],
        "entities": ["0000 0009990010 MARBLE & MOSS CORP", "0001 0009990011 GRAVEL FUND"],
        "accepted_at": "2021-01-04T22:15:00Z",
        "root_form": "SC 13D",
        "period": "2020-12-31",
        "archived": True,
        "incorporation_states": ["VT"],
        "business_locations": ["STONEFIELD"],
    }
    plain = {
        "document_id": f"{NUMBER}-1",
        "document_type": "SC 13D/A",
        "description": "REPORT",
        "file_name": "body.txt",
        "size": body_size(0),
        "passages": 3,
        "first": True,
        "text_sha256": sha256(TEXT.encode()).hexdigest(),
        "text_length": len(TEXT),
        "text_version": f"plain:{PLAIN_TEXT}",
        "headings": ["REPORT"],
    }
    page = {
        "document_id": f"{NUMBER}-2",
        "document_type": "EX-99.1",
        "description": "",
        "file_name": "page.htm",
        "size": body_size(1),
        "passages": 1,
        "text_sha256": sha256(b"Stone & gravel").hexdigest(),
        "text_length": 14,
        "text_version": f"html:{HTML_TEXT}",
        "headings": ["Stone & gravel"],
    }
    found = {hit.id: hit.source for hit in await stored(engine, "documents", NUMBER)}
    times = {source.pop("loaded_at") for source in found.values()}
    assert {datetime.fromisoformat(time) for time in times} == {await loaded_at(engine)}
    assert found == {f"{NUMBER}-1": header | plain, f"{NUMBER}-2": header | page}


async def test_passages_joined_are_exactly_the_text(engine: Engine) -> None:
    assert await text_of(engine, f"{NUMBER}-1") == TEXT
    assert await text_of(engine, f"{NUMBER}-2") == "Stone & gravel"


async def test_each_passage_stands_where_it_says(engine: Engine) -> None:
    hits = await stored(engine, "passages", NUMBER)
    assert [hit.id for hit in hits] == [
        *(f"{NUMBER}-1#{number}" for number in range(3)),
        f"{NUMBER}-2#0",
    ]
    for hit in hits[:3]:
        start, piece = hit.source["start"], hit.source["text"]
        assert TEXT[start : start + len(piece)] == piece


async def test_ledger_has_the_load(engine: Engine, summary: Summary) -> None:
    (entry,) = (await read_entries(engine, [NUMBER])).values()
    assert len(entry.hashes) == 1 and len(entry.hashes[0]) == 64
    assert entry.source.endswith(f"{NUMBER}.txt")
    assert entry == LedgerEntry(
        status="loaded",
        source=entry.source,
        seen_at=await loaded_at(engine),
        hashes=entry.hashes,
        settled=entry.hashes,
        form_type="SC 13D/A",
        filing_date=date(2021, 1, 5),
        accepted_at=datetime(2021, 1, 4, 22, 15, tzinfo=UTC),
        variant="txt",
        loaded_hash=entry.hashes[0],
        loaded_at=entry.loaded_at,
        searchable_at=entry.searchable_at,
        accepted_lag=entry.accepted_lag,
        partition="all",
        parts={f"{NUMBER}-1": 3, f"{NUMBER}-2": 1},
        announced=dict.fromkeys([f"{NUMBER}-1", f"{NUMBER}-2"], await loaded_at(engine)),
        epoch=entry.epoch,
        contents=contents_made({"entries", "html", "plain"}),
        told=1,
        told_hash=entry.hashes[0],
    )
    assert entry.loaded_at and entry.searchable_at and entry.accepted_at
    assert entry.seen_at <= entry.loaded_at <= entry.searchable_at
    assert entry.accepted_lag == (entry.searchable_at - entry.accepted_at).total_seconds()


async def test_entities_have_the_facts_of_their_first_block(engine: Engine) -> None:
    found = await engine.multi_get("entities", ["0009990010", "0009990011"], StoredEntity)
    source = f"2021-01-05 {NUMBER}"
    facts = (
        "name",
        "sic",
        "sic_description",
        "state_of_incorporation",
        "fiscal_year_end",
        "business_address",
        "former_names",
    )
    assert [entry.source for entry in found] == [
        StoredEntity(
            cik="0009990010",
            name="MARBLE & MOSS CORP",
            sic="3281",
            sic_description="CUT STONE",
            state_of_incorporation="VT",
            fiscal_year_end="1231",
            business_address=StoredAddress(street1="1 QUARRY ROAD", city="STONEFIELD"),
            former_names=[StoredFormerName("MOSS CORP", since=date(2001, 2, 3))],
            sources=dict.fromkeys(facts, source),
        ),
        StoredEntity(cik="0009990011", name="GRAVEL FUND", sources={"name": source}),
    ]
