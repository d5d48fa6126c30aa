"""The longest patterns that the language and look-ups of names let through are searched for."""

import pytest

from tests.support.asking import Client

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.shared_installation,
    pytest.mark.usefixtures("made_settings"),
]


@pytest.mark.parametrize(
    "query",
    ["aaa*a?????" + "a" * 44, "aaa*" + "?a" * 5 + "a" * 40, "aaa" + "*a" * 126, "aaa*" + "a" * 251],
)
async def test_words_with_many_wildcards_are_searched(client: Client, query: str) -> None:
    assert await client.found(query) == []


@pytest.mark.parametrize("part", ["a" * 300, "e\u0301" * 150, "ab" * 150, "a" * 1_000, "?" * 300])
async def test_long_part_of_a_name_is_looked_for(client: Client, part: str) -> None:
    reply = await client.http.post("/v2/entity_lookup", json={"name_includes": [part]})
    assert (reply.status_code, reply.json().get("error")) == (200, None)
