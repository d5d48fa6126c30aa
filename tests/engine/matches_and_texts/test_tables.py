"""/v1/tables: the list, one table, files without formulas, refusals."""

from collections.abc import Callable

import pytest

from tests.support.alerting import filing
from tests.support.asking import Client
from tests.support.loading import Loads

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.usefixtures("made_settings"),
]
NewNumber = Callable[[], str]
HTML = (
    "<html><body><p>Sales of quartz (in thousands)</p><table><tr><td></td><td>2024</td></tr>"
    "<tr><td>=1+1</td><td>(1,234)</td></tr></table></body></html>"
)


async def test_table_is_listed_and_read_and_no_cell_runs(
    client: Client, loads: Loads, new_number: NewNumber
) -> None:
    key = f"{(number := new_number())}-1"
    await loads(filing(number, HTML))
    found = await client.get("/v1/tables", document_id=key)
    (item,) = found["items"]
    assert (found["total_count"], item["rows"], item["columns"]) == (1, 2, 2)
    assert (item["unit"], item["scale"]) == ("in thousands", 1000)
    (table,) = (await client.get("/v1/tables", document_id=key, table=1))["items"]
    assert table["cells"][1][1] == {"text": "(1,234)", "value": -1234, "unit": None}
    assert number in table["source"]
    asked = {"document_id": key, "table": "1"}
    file = await client.http.get("/v1/tables", params={**asked, "format": "csv"})
    assert '"\'=1+1",-1234' in file.text
    book = await client.http.get("/v1/tables", params={**asked, "format": "xlsx"})
    assert book.content.startswith(b"PK")


@pytest.mark.parametrize(
    ("parameters", "status", "words"),
    [
        ({"format": "csv"}, 400, "`format=csv` needs `table`"),
        ({"table": "2", "limit": "3"}, 400, "`limit` may not be given with `table`"),
        ({"table": "9"}, 404, "table: there is no 9"),
        ({"raw": "true"}, 400, "`raw=true` needs `format=csv`"),
        ({"limit": "501"}, 400, "from 1 to 500"),
    ],
)
async def test_bad_request_is_refused(
    client: Client,
    loads: Loads,
    new_number: NewNumber,
    parameters: dict[str, str],
    status: int,
    words: str,
) -> None:
    key = f"{(number := new_number())}-1"
    await loads(filing(number, HTML))
    reply = await client.http.get("/v1/tables", params={"document_id": key, **parameters})
    assert reply.status_code == status
    assert words in reply.json()["error"]
