"""Saved links: kept, changed field by field, removed."""

import asyncio
from collections import Counter

import pytest

from tests.support.users import User, Users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
LINK = {"url": "https://www.sec.gov/edgar", "title": "EDGAR", "note": "a\nb", "tags": ["x", "y"]}


async def test_link_has_all_its_fields(user: User) -> None:
    status, made = await user.ask("POST", "saved-links/add", LINK)
    assert status == 201
    assert made == {
        "id": made["id"],
        **LINK,
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
    }
    assert await user.get("saved-links/get") == {"saved-links": [made], "total_count": 1}


async def test_link_needs_nothing_but_its_address(user: User) -> None:
    made = await user.post("saved-links/add", {"url": "http://a.example"})
    assert (made["title"], made["note"], made["tags"]) == (None, None, [])


async def test_address_may_be_kept_twice(user: User) -> None:
    one = await user.post("saved-links/add", LINK)
    two = await user.post("saved-links/add", LINK)
    assert one["id"] != two["id"]
    assert (await user.get("saved-links/get"))["total_count"] == 2


@pytest.mark.parametrize(
    ("sent", "then"),
    [
        ({"title": "new"}, {"title": "new"}),
        ({"title": None}, {"title": None}),
        ({"note": "", "tags": None}, {"note": None, "tags": []}),
        ({"tags": ["z", "z"]}, {"tags": ["z"]}),
        ({"url": "http://b.example/"}, {"url": "http://b.example/"}),
    ],
)
async def test_update_changes_the_fields_that_are_sent(
    user: User, sent: dict[str, object], then: dict[str, object]
) -> None:
    made = await user.post("saved-links/add", LINK)
    status, changed = await user.ask("POST", "saved-links/update", {"id": made["id"], **sent})
    assert status == 200
    assert changed == {**made, **then, "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > made["updated_at"]
    assert await user.get("saved-links/get") == {"saved-links": [changed], "total_count": 1}


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({}, "the body has nothing to change; known are url, title, note, tags"),
        ({"url": None}, "`url` is missing; give 1 to 2000 characters"),
        ({"title": "x" * 301}, "`title` must have at most 300 characters"),
        ({"created_at": "x"}, "`created_at` is not a field; known are id, url, title, note, tags"),
    ],
)
async def test_refused_update_changes_nothing(
    user: User, sent: dict[str, object], text: str
) -> None:
    made = await user.post("saved-links/add", LINK)
    refused = await user.refused("POST", "saved-links/update", {"id": made["id"], **sent})
    assert refused == (400, text)
    assert await user.get("saved-links/get") == {"saved-links": [made], "total_count": 1}


async def test_changes_of_one_link_at_once_lose_nothing(user: User) -> None:
    made = await user.post("saved-links/add", {"url": "http://a.example"})
    fields = {"title": "t", "note": "n", "tags": ["x"], "url": "http://b.example"}
    await asyncio.gather(
        *(
            user.post("saved-links/update", {"id": made["id"], name: value})
            for name, value in fields.items()
            for _ in range(5)
        )
    )
    (found,) = (await user.get("saved-links/get"))["saved-links"]
    assert {name: found[name] for name in fields} == fields


async def test_link_is_removed_once_of_many_times(user: User) -> None:
    made = await user.post("saved-links/add", LINK)
    answers = await asyncio.gather(
        *(user.ask("DELETE", "saved-links/remove", id=made["id"]) for _ in range(10))
    )
    assert Counter(status for status, _ in answers) == {200: 1, 404: 9}
    refused = await user.refused("POST", "saved-links/update", {"id": made["id"], "title": "x"})
    assert refused == (404, "no saved link has this id")


async def test_link_of_another_user_is_unknown(users: Users) -> None:
    one, other = users.new(), users.new()
    made = await one.post("saved-links/add", LINK)
    change = {"id": made["id"], "title": "mine now"}
    not_found = (404, "no saved link has this id")
    assert await other.refused("POST", "saved-links/update", change) == not_found
    assert await other.refused("DELETE", "saved-links/remove", id=made["id"]) == not_found
    assert await other.get("saved-links/get") == {"saved-links": [], "total_count": 0}
    assert await one.get("saved-links/get") == {"saved-links": [made], "total_count": 1}


async def test_list_is_newest_first_and_in_pages(user: User) -> None:
    made = [await user.post("saved-links/add", {**LINK, "title": str(n)}) for n in range(5)]
    pages = [await user.get("saved-links/get", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [link for page in pages for link in page["saved-links"]] == made[::-1]
    assert {page["total_count"] for page in pages} == {5}


async def test_last_offset_is_taken(user: User) -> None:
    expected = {"saved-links": [], "total_count": 0}
    assert await user.get("saved-links/get", limit=200, offset=10_000) == expected
