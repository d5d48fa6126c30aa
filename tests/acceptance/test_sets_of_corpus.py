"""All sets over the real corpus, asked by DuckDB: those in the SEC's layout agree with ours."""

from pathlib import Path

import duckdb
import pytest

from edgar_search.commands.sets import SETS
from edgar_search.settings import Settings
from tests.acceptance.service import Service, command, last_line_json
from tests.support.sets import manifest

# Every part of it is tested over made-up filings in tests/engine/exports too.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def folder(settings: Settings, service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all sets."""
    folder = tmp_path_factory.mktemp("sets")
    done = command(settings, "edgar_search.cli", "sets", "write", str(folder))
    assert done.returncode == 0, done.stderr
    written = last_line_json(done)
    assert written["files"] == len(manifest(folder)["files"])
    return folder


def number(folder: Path, question: str) -> int:
    """Return the number that a question is answered with; `[name]` is a set of all years."""
    for name in SETS:
        question = question.replace(f"[{name}]", f"read_parquet('{folder}/{name}/*.parquet')")
    found = duckdb.sql(question)
    assert found is not None
    return int(found.fetchall()[0][0])


def test_each_set_has_the_rows_of_its_manifest(folder: Path) -> None:
    rows = {name: 0 for name in SETS}
    for file in manifest(folder)["files"]:
        rows[file["set"]] += file["rows"]
    for name in {file["set"] for file in manifest(folder)["files"]}:
        assert number(folder, f"select count(*) from [{name}]") == rows[name], name
    assert rows["sec_financial_sub"] == 10
    assert rows["sec_financial_num"] > 1_000
    assert rows["sec_insider_submission"] > 90


def test_trades_of_both_layouts_are_as_many(folder: Path) -> None:
    ours = number(folder, "select count(*) from [insider_trades]")
    theirs = sum(
        number(folder, f"select count(*) from [sec_insider_{table}]")
        for table in ("nonderiv_trans", "deriv_trans")
    )
    assert theirs == ours > 200
    shares = "select coalesce(sum(shares), 0)::bigint from [insider_trades] where derivative"
    of_sec = "select coalesce(sum(trans_shares), 0)::bigint from [sec_insider_deriv_trans]"
    assert number(folder, shares) == number(folder, of_sec) > 0
    unknown = (
        "select count(*) from [sec_insider_nonderiv_trans]"
        " anti join [sec_insider_submission] using (accession_number)"
    )
    assert number(folder, unknown) == 0


def test_values_are_those_of_the_lines_of_statements(folder: Path) -> None:
    strange = (
        "select count(*) from (select adsh, tag, value from [sec_financial_num]"
        " where value is not null) num anti join (select accnum, value,"
        " split_part(concept, ':', 2) as tag from [statement_lines]) lines"
        " on num.adsh = lines.accnum and num.tag = lines.tag and num.value = round(lines.value, 4)"
    )
    assert number(folder, strange) == 0
    for joined in (
        "[sec_financial_num] anti join [sec_financial_tag] using (tag, version)",
        "[sec_financial_pre] anti join [sec_financial_sub] using (adsh)",
        "[sec_financial_sub] anti join [filings] on adsh = accnum",
    ):
        assert number(folder, f"select count(*) from {joined}") == 0, joined
