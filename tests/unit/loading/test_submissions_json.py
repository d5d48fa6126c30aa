"""EDGAR's submissions JSON: facts about entities, one file or many."""

import gzip
import json
import zipfile
from datetime import date
from pathlib import Path

import pytest

from edgar_search.errors import MalformedIndex, SettingsError
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from ingest.loading.entities import EntityFiles, submissions_facts

CIK = "0009990190"
MARBLE = {
    "cik": "9990190",
    "entityType": "operating",
    "sic": "3281",
    "sicDescription": "Cut Stone",
    "name": "MARBLE CORP",
    "tickers": ["mrbl", "MRBL-P", "mrbl"],
    "exchanges": ["NYSE", None],
    "ein": "000000000",
    "description": "",
    "website": "https://localhost",
    "category": "Non-accelerated filer<br>Smaller reporting company",
    "fiscalYearEnd": "1231",
    "stateOfIncorporation": "VT",
    "phone": "1 23",
    "unheardOf": {"x": 1},
    "addresses": {
        "mailing": {"street1": None, "street2": "", "city": None},
        "business": {"street1": "1 QUARRY  ROAD", "city": "STONEFIELD", "stateOrCountry": "VT"},
    },
    "formerNames": [
        {"name": "MOSS CORP", "from": "1994-08-12T04:00:00.000Z", "to": "2021-02-10T05:00:00.000Z"},
        {"name": "OLD MOSS", "from": None, "to": ""},
    ],
    "filings": {"recent": {"filingDate": ["2020-01-02", "2021-03-04", ""]}, "files": []},
}
OLDER = {"accessionNumber": ["0009990190-01-000001"], "filingDate": ["2001-01-02"]}


def test_facts_of_an_entity() -> None:
    source = f"2021-03-04 CIK{CIK}.json"
    facts = submissions_facts(json.dumps(MARBLE).encode(), "x")
    known = {name for name in facts.__struct_fields__ if getattr(facts, name) is not None}
    assert facts == StoredEntity(
        cik=CIK,
        name="MARBLE CORP",
        sic="3281",
        sic_description="Cut Stone",
        state_of_incorporation="VT",
        fiscal_year_end="1231",
        business_address=StoredAddress(street1="1 QUARRY ROAD", city="STONEFIELD", state="VT"),
        former_names=[
            StoredFormerName("MOSS CORP", date(1994, 8, 12), date(2021, 2, 10)),
            StoredFormerName("OLD MOSS"),
        ],
        entity_type="operating",
        category="Non-accelerated filer; Smaller reporting company",
        phone="1 23",
        website="https://localhost",
        tickers=["MRBL", "MRBL-P"],
        exchanges=["NYSE", ""],
        sources=dict.fromkeys(known - {"cik", "sources"}, source),
    )


def test_entity_without_filings_has_facts_that_any_filing_replaces() -> None:
    content = MARBLE | {"filings": {"recent": {"filingDate": []}}, "tickers": [], "exchanges": []}
    facts = submissions_facts(json.dumps(content).encode(), "x")
    assert facts.sources["name"] == f"0001-01-01 CIK{CIK}.json"
    assert facts.tickers == []


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"[]", json.dumps(OLDER).encode(), b'{"cik": "x", "name": "y"}']
)
def test_other_content_is_refused_by_name(content: bytes) -> None:
    with pytest.raises(MalformedIndex, match="^a.json: "):
        submissions_facts(content, "a.json")


def test_folder_and_zip_are_read_whole_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    main = json.dumps(MARBLE).encode()
    (folder / f"CIK{CIK}.json").write_bytes(main)
    (folder / f"CIK{CIK}.as-of-2021-01-01.json.gz").write_bytes(gzip.compress(main))
    (folder / f"CIK{CIK}-submissions-001.json").write_text(json.dumps(OLDER))
    (folder / "notes.txt").touch()
    with zipfile.ZipFile(folder / "submissions.zip", "w") as archive:
        archive.writestr(f"CIK{CIK}.json", main)
        archive.writestr("CIK0009990191.json", "damaged")
        archive.writestr(f"CIK{CIK}-submissions-001.json", json.dumps(OLDER))
        archive.writestr("placeholder.txt", "")
    files = EntityFiles([folder])
    assert [facts.cik for facts in files] == [CIK] * 3
    assert (files.facts, files.continuations, files.skipped) == (3, 2, 2)
    (refusal,) = files.refusals
    assert refusal["source"] == f"{folder}/submissions.zip!CIK0009990191.json"
    assert refusal["reason"].startswith("is not a submissions file of EDGAR: ")


def test_file_that_is_named_is_known_by_its_content(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    contents = [json.dumps(MARBLE), json.dumps(OLDER), "{}"]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    files = EntityFiles(paths)
    assert [facts.cik for facts in files] == [CIK]
    assert (files.facts, files.continuations) == (1, 1)
    assert [refusal["source"] for refusal in files.refusals] == [str(paths[2])]


def test_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere: no such file or folder"):
        EntityFiles([tmp_path / "nowhere"])


def test_every_real_file_is_read(corpus: Path) -> None:
    folder = corpus / "submissions"
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    files = EntityFiles([folder])
    found = {(facts.cik, facts.name) for facts in files}
    assert found == {(row["cik"], row["name"]) for row in rows if row["name"]}
    assert files.facts == sum(1 for row in rows if row["name"])
    assert files.continuations == sum(1 for row in rows if not row["name"])
    assert (files.skipped, files.refusals) == (1, [])
