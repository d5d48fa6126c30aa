"""Any order of additions, changes and removals of favorites, against a model of what they mean."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from edgar_search.settings import Settings
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import User, serving_users

pytestmark = [pytest.mark.any_engine, pytest.mark.shared_installation]
T = TypeVar("T")
CIKS = ["0009990701", "0009990702", "0009990703"]
ciks = st.sampled_from(CIKS)
users = st.integers(0, 1)
labels = st.none() | st.sampled_from(["a", "b"])


@pytest.mark.parametrize("orders", [5, pytest.param(15, marks=pytest.mark.long)])
def test_favorites_are_what_the_requests_say(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory, orders: int
) -> None:
    crowd = MadeUp(
        "0009990701-21-000001",
        tuple(MadeUpEntity(cik, f"NUMBER {cik}") for cik in CIKS),
        (MadeUpDocument("A crowd.\n", "8-K", "a.txt"),),
    )
    load_now(settings, tmp_path_factory.mktemp("files"), {"a.txt": txt(crowd)})
    with asyncio.Runner() as runner:
        serving = serving_users(settings)
        service = runner.run(serving.__aenter__())
        try:
            run_state_machine_as_test(
                # Whatever makes one is taken, though only the class is promised.
                lambda: Favorites(runner, [service.new(), service.new()]),  # type: ignore[arg-type]
                settings=examples(max_examples=orders, stateful_step_count=25),
            )
        finally:
            runner.run(serving.__aexit__(None, None, None))


class Favorites(RuleBasedStateMachine):
    """Two users and three targets; `model` has each user's labels by target, ordered by age."""

    def __init__(self, runner: asyncio.Runner, users: list[User]) -> None:
        super().__init__()
        self._runner = runner
        self._users = users
        self._model: list[dict[str, str | None]] = [{}, {}]
        self._ids: dict[tuple[int, str], str] = {}

    @rule(user=users, cik=ciks, label=labels, labelled=st.booleans())
    def add(self, user: int, cik: str, label: str | None, labelled: bool) -> None:
        body = {"type": "entity", "target_id": cik, **({"label": label} if labelled else {})}
        status, made = self._run(self._users[user].ask("POST", "favorites/add", body))
        assert status == (200 if cik in self._model[user] else 201)
        if labelled or status == 201:
            self._model[user][cik] = label if labelled else None
        assert made["label"] == self._model[user][cik]
        assert self._ids.setdefault((user, cik), made["id"]) == made["id"]

    @rule(user=users, owner=users, cik=ciks)
    def remove(self, user: int, owner: int, cik: str) -> None:
        favorite_id = self._ids.get((owner, cik), "unknown")
        body = {"id": favorite_id}
        status, _ = self._run(self._users[user].ask("POST", "favorites/remove", body))
        there = user == owner and cik in self._model[user]
        assert status == (200 if there else 404)
        if there:
            del self._model[user][cik]

    @invariant()
    def list_is_the_model(self) -> None:
        for user, model in zip(self._users, self._model, strict=True):
            found = self._run(user.get("favorites/get"))
            assert found["total_count"] == len(model)
            listed = [(entry["target_id"], entry["label"]) for entry in found["favorites"]]
            assert listed == list(reversed(model.items()))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)
