"""DuckDB of its own over a socket: the statements of docs/clients.md read files of `/v1/sets/`."""

import asyncio
import json
import re
import subprocess
from datetime import date
from pathlib import Path

import pytest
from msgspec import structs

from bench.service import running_service
from edgar_search.access.api_keys import ApiKeys
from edgar_search.api.context import Context
from edgar_search.commands.sets import write_sets
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.edgar_clients import python_of
from tests.support.engines import CHECKOUT
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.any_engine
KILN = MadeUpEntity("0009991951", "KILN CORP")
# The extension is a file beside a package, and would else be fetched.
PROGRAM = """
import json
import sys
from pathlib import Path
import duckdb
import duckdb_extension_httpfs
(path,) = Path(duckdb_extension_httpfs.__file__).parent.rglob("httpfs.duckdb_extension")
*before, question = [each for each in sys.argv[1].split(";") if each.strip()]
for statement in before:
    duckdb.execute(statement.replace("install httpfs", f"install '{path}'"))
print(json.dumps(duckdb.sql(question).fetchall()))
"""


async def prepared(settings: Settings, folder: Path) -> str:
    """Write the files, and return a new key."""
    engine = Engine.from_settings(settings)
    try:
        await write_sets(Context.of_command(engine, settings, "sets"), folder, ["filings"])
        return (await ApiKeys(engine).create("test", "test"))[0]
    finally:
        await engine.close()


def test_duckdb_asks_with_a_key(settings: Settings, tmp_path: Path) -> None:
    python = python_of("duckdb")
    files = {}
    for number, form in enumerate(("10-K", "8-K", "8-K")):
        document = MadeUpDocument("Tiles.\n", form, "a.htm")
        made = MadeUp(f"0009991950-24-{number:06d}", (KILN,), (document,), form, date(2024, 3, 1))
        files[f"{number}.txt"] = txt(made)
    (tmp_path / "filings").mkdir()
    load_now(settings, tmp_path / "filings", files)
    key = asyncio.run(prepared(settings, tmp_path / "sets"))
    page = (CHECKOUT / "docs" / "clients.md").read_text()
    (statements,) = re.findall(r"^```sql\n(install httpfs.+?)^```$", page, re.MULTILINE | re.DOTALL)
    served = structs.replace(settings, mirror="keys", sets_folder=tmp_path / "sets")
    with running_service(served) as service:
        asked = statements.replace("sk_live_...", key).replace("http://localhost:8000", service.url)

        def ask(text: str) -> "subprocess.CompletedProcess[str]":
            return subprocess.run(
                [python, "-c", PROGRAM, text],
                env={"HOME": str(tmp_path)},
                capture_output=True,
                text=True,
                timeout=120,
            )

        done = ask(asked)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == [["8-K", 2], ["10-K", 1]]
        refused = ask(asked.replace(key, "sk_live_" + "a" * 43))
        assert "HTTPException" in refused.stderr, refused.stderr
