"""Favorites: what may be one, each at most once, and what races leave of them."""

import asyncio
import re
from collections import Counter
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import User, Users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
NUMBER = "0009990401-21-000001"
FILING = MadeUp(
    NUMBER,
    (MadeUpEntity("0009990401", "STAR CORP"), MadeUpEntity("0009990402", "MOON CORP")),
    (
        MadeUpDocument("Stars and moons.\n", "8-K", "a.txt"),
        MadeUpDocument("begin 644 a.jpg\n#0V%T\n`\nend\n", "GRAPHIC", "a.jpg"),
    ),
)
FAVORITE = {"type": "filing", "target_id": NUMBER}
MANY = [f"0009990{number}" for number in range(410, 460)]


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One filing, and one that has fifty entities for favorites to be of."""
    crowd = MadeUp(
        "0009990401-21-000002",
        tuple(MadeUpEntity(cik, f"NUMBER {cik}") for cik in MANY),
        (MadeUpDocument("A crowd.\n", "8-K", "b.txt"),),
    )
    files = {"a.txt": txt(FILING), "b.txt": txt(crowd)}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_favorite_has_all_its_fields(user: User) -> None:
    status, made = await user.ask("POST", "favorites/add", {**FAVORITE, "label": " mine "})
    assert status == 201
    assert re.fullmatch(r"[0-9a-f]{24}", made["id"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT[\d:.]+Z", made["created_at"])
    assert made == {
        "id": made["id"],
        "type": "filing",
        "target_id": NUMBER,
        "label": "mine",
        "created_at": made["created_at"],
    }
    assert await user.get("favorites/get") == {"favorites": [made], "total_count": 1}


@pytest.mark.parametrize(
    ("kind", "target", "kept"),
    [
        ("filing", NUMBER, NUMBER),
        ("document", f"{NUMBER}-1", f"{NUMBER}-1"),
        ("document", f"{NUMBER}-2", f"{NUMBER}-2"),
        ("entity", "0009990401", "0009990401"),
        ("entity", "9990402", "0009990402"),
    ],
)
async def test_what_exists_may_be_a_favorite(user: User, kind: str, target: str, kept: str) -> None:
    made = await user.post("favorites/add", {"type": kind, "target_id": target})
    assert (made["type"], made["target_id"], made["label"]) == (kind, kept, None)


@pytest.mark.parametrize(
    ("kind", "target", "text"),
    [
        ("filing", "0009990401-21-999999", "there is no filing 0009990401-21-999999"),
        ("document", f"{NUMBER}-3", f"there is no document {NUMBER}-3"),
        ("document", "0009990401-21-999999-1", "there is no document 0009990401-21-999999-1"),
        ("entity", "999", "there is no entity 0000000999"),
        ("filing", f"{NUMBER}-1", "must be an accession number such as 0000320193-24-000123"),
        ("document", NUMBER, "must be a document id such as 0000320193-24-000123-1"),
        ("document", f"{NUMBER}-01", "must be a document id such as 0000320193-24-000123-1"),
        ("entity", "00009990401", "must be a CIK of 1 to 10 digits"),
        ("entity", "AAPL", "must be a CIK of 1 to 10 digits"),
        ("entity", "٣", "must be a CIK of 1 to 10 digits"),
    ],
)
async def test_what_does_not_exist_may_not(user: User, kind: str, target: str, text: str) -> None:
    refused = await user.refused("POST", "favorites/add", {"type": kind, "target_id": target})
    assert refused == (400, f"target_id: {text}")
    assert (await user.get("favorites/get"))["total_count"] == 0


async def test_favorite_added_again_is_the_one_there_is(user: User) -> None:
    made = await user.post("favorites/add", {**FAVORITE, "label": "first"})
    assert await user.ask("POST", "favorites/add", FAVORITE) == (200, made)
    assert await user.get("favorites/get") == {"favorites": [made], "total_count": 1}


@pytest.mark.parametrize("label", ["second", None])
async def test_label_that_is_sent_replaces_the_old_one(user: User, label: str | None) -> None:
    made = await user.post("favorites/add", {**FAVORITE, "label": "first"})
    again = await user.ask("POST", "favorites/add", {**FAVORITE, "label": label})
    assert again == (200, {**made, "label": label})
    assert await user.get("favorites/get") == {"favorites": [again[1]], "total_count": 1}


@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_removed_favorite_is_gone_and_may_come_back(user: User, method: str) -> None:
    made = await user.post("favorites/add", FAVORITE)
    sent: Any = {"body": {"id": made["id"]}} if method == "POST" else {"id": made["id"]}
    assert await user.ask(method, "favorites/remove", **sent) == (200, {"changed": 1})
    assert await user.get("favorites/get") == {"favorites": [], "total_count": 0}
    refused = await user.refused(method, "favorites/remove", **sent)
    assert refused == (404, "no favorite has this id")
    assert (await user.ask("POST", "favorites/add", FAVORITE))[0] == 201


async def test_one_user_never_sees_or_removes_anothers(users: Users) -> None:
    one, other = users.new(), users.new()
    made = await one.post("favorites/add", FAVORITE)
    theirs = await other.post("favorites/add", FAVORITE)
    assert made["id"] != theirs["id"]
    foreign = await other.refused("POST", "favorites/remove", {"id": made["id"]})
    assert foreign == await other.refused("POST", "favorites/remove", {"id": "unknown"})
    assert foreign == (404, "no favorite has this id")
    assert await one.get("favorites/get") == {"favorites": [made], "total_count": 1}


async def test_favorite_is_made_once_of_many_at_once(user: User) -> None:
    answers = await asyncio.gather(
        *(user.ask("POST", "favorites/add", FAVORITE) for _ in range(20))
    )
    assert Counter(status for status, _ in answers) == {201: 1, 200: 19}
    assert len({answer["id"] for _, answer in answers}) == 1
    assert (await user.get("favorites/get"))["total_count"] == 1


async def test_additions_and_removals_at_once_leave_what_they_say(user: User) -> None:
    """Each addition answered 201 and each removal answered 200 took place exactly once."""
    made = await user.post("favorites/add", FAVORITE)
    works = []
    for _ in range(30):
        works.append(user.ask("POST", "favorites/add", FAVORITE))
        works.append(user.ask("POST", "favorites/remove", {"id": made["id"]}))
    statuses = Counter(status for status, _ in await asyncio.gather(*works))
    left = (await user.get("favorites/get"))["total_count"]
    assert statuses[200] + statuses[201] + statuses[404] == 60
    # Of the 200s some are additions of what was there: the rest are removals.
    removed = 30 - statuses[404]
    assert left == 1 + statuses[201] - removed


# Few users meet at the same documents as many do; a thousand changes are more of the same.
@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.long)])
async def test_changes_at_once_end_as_one_after_the_other(users: Users, count: int) -> None:
    """Users with 10 targets each: the 5 changes of a target in order, all else at once."""
    model: dict[tuple[int, str], str | None] = {}
    everyone = [users.new() for _ in range(count)]

    async def chain(number: int, target: str) -> None:
        """Adds, labels, perhaps removes and adds again, as the numbers say."""
        user, turn = everyone[number], number + int(target)
        add = {"type": "entity", "target_id": target}
        made = await user.post("favorites/add", {**add, "label": "first"})
        await user.post("favorites/add", {**add, "label": "second"})
        model[number, target] = "second"
        if turn % 3 == 0:
            await user.post("favorites/remove", {"id": made["id"]})
            del model[number, target]
        else:
            await user.post("favorites/add", add)
        if turn % 2 == 0:
            await user.post("favorites/add", {**add, "label": "third"})
            model[number, target] = "third"
        else:
            await user.ask("POST", "favorites/remove", {"id": made["id"]})
            model.pop((number, target), None)
        await user.get("favorites/get")
        await user.post("favorites/add", {**add, "label": f"{turn}"})
        if turn % 5:
            model[number, target] = f"{turn}"
        else:
            await user.post("favorites/remove", {"id": made["id"]})
            model.pop((number, target), None)

    await asyncio.gather(*(chain(n, target) for n in range(count) for target in MANY[:10]))
    for number, user in enumerate(everyone):
        found = (await user.get("favorites/get", limit=200))["favorites"]
        labels = {favorite["target_id"]: favorite["label"] for favorite in found}
        assert labels == {target: label for (n, target), label in model.items() if n == number}
        assert len(found) == len(labels)


async def test_no_label_of_many_at_once_is_lost_on_others(user: User) -> None:
    """Favorites of one user that are changed at once do not touch each other."""
    added = [{"type": "entity", "target_id": cik, "label": cik} for cik in MANY]
    await asyncio.gather(*(user.post("favorites/add", body) for body in added))
    found = (await user.get("favorites/get", limit=200))["favorites"]
    assert {f["target_id"]: f["label"] for f in found} == {cik: cik for cik in MANY}
