"""Index templates and indices, put to Elasticsearch and compared with what is in place."""

import copy
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from edgar_search.engine import templates
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.templates import (
    SHARED,
    diff_templates,
    load_templates,
    put_templates,
    template_path,
)
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from ingest.indices import differences as live
from ingest.indices import indices
from ingest.indices.differences import Difference, apply, diff_live
from ingest.indices.indices import Indices, list_indices
from tests.support.loading import Hit, today

pytestmark = [pytest.mark.anyio, pytest.mark.own_installation]
KEYWORD = {"type": "keyword"}


@pytest.fixture(autouse=True)
async def in_place(engine: Engine, settings: Settings) -> None:
    """All templates are in place before each test."""
    await put_templates(engine, settings.prefix)


async def test_nothing_differs_after_put(engine: Engine, settings: Settings) -> None:
    assert await diff_templates(engine, settings.prefix) == {}


async def test_second_put_puts_nothing(engine: Engine, settings: Settings) -> None:
    assert await put_templates(engine, settings.prefix) == []


async def test_changed_mapping_is_the_only_difference(engine: Engine, settings: Settings) -> None:
    changed = copy.deepcopy(load_templates(settings.prefix)["filings"])
    changed["template"]["mappings"]["properties"]["form_type"]["type"] = "text"
    await engine.administer("PUT", template_path(settings.prefix, "filings"), changed)
    path = "template.mappings.properties.form_type.type"
    assert await diff_templates(engine, settings.prefix) == {
        "filings": [f"- {path}: text", f"+ {path}: keyword"]
    }


async def test_changed_setting_is_the_only_difference(engine: Engine, settings: Settings) -> None:
    changed = copy.deepcopy(load_templates(settings.prefix)[SHARED])
    changed["template"]["settings"]["index"]["number_of_shards"] = 3
    await engine.administer("PUT", template_path(settings.prefix, SHARED), changed)
    path = "template.settings.number_of_shards"
    assert await diff_templates(engine, settings.prefix) == {
        SHARED: [f"- {path}: 3", f"+ {path}: 1"]
    }


async def test_changed_template_alone_is_put_again(engine: Engine, settings: Settings) -> None:
    changed = load_templates(settings.prefix)["ledger"] | {"priority": 7}
    await engine.administer("PUT", template_path(settings.prefix, "ledger"), changed)
    assert await put_templates(engine, settings.prefix) == ["ledger"]
    assert await diff_templates(engine, settings.prefix) == {}


async def test_deleted_template_differs_in_every_line(engine: Engine, settings: Settings) -> None:
    await engine.administer("DELETE", template_path(settings.prefix, "tickers"))
    differences = await diff_templates(engine, settings.prefix)
    assert list(differences) == ["tickers"]
    assert "+ priority: 500" in differences["tickers"]
    assert [line for line in differences["tickers"] if line.startswith("-")] == []


async def test_set_up_makes_each_index_once(engine: Engine, settings: Settings) -> None:
    for _ in range(2):
        await Indices(engine, settings).set_up()
    states = await list_indices(engine, settings.prefix)
    assert [(s.name, s.current, s.documents) for s in states] == [
        (f"{settings.prefix}{kind}.{today(kind)}.v1", True, 0) for kind in sorted(KINDS)
    ]


async def test_indices_have_the_mappings_of_their_templates(
    engine: Engine, settings: Settings
) -> None:
    await Indices(engine, settings).set_up()
    templates = load_templates(settings.prefix)
    found = await engine.administer("GET", f"/{settings.prefix}*/_mapping")
    wanted = {
        f"{settings.prefix}{kind}.{today(kind)}.v1": templates[kind]["template"]["mappings"][
            "properties"
        ]
        for kind in KINDS
    }
    assert {name: index["mappings"]["properties"] for name, index in found.items()} == wanted
    assert {index["mappings"]["dynamic"] for index in found.values()} == {"strict"}


async def test_another_installation_whose_prefix_begins_alike_is_not_listed(
    engine: Engine, settings: Settings
) -> None:
    await Indices(engine, settings).set_up()
    await engine.create_index(f"{settings.prefix}b_filings.all.v1", {})
    listed = [state.name for state in await list_indices(engine, settings.prefix)]
    assert listed == [f"{settings.prefix}{kind}.{today(kind)}.v1" for kind in sorted(KINDS)]


async def test_missing_indices_are_told_with_the_command_that_makes_them(
    settings: Settings,
) -> None:
    bare = Engine.from_settings(msgspec.structs.replace(settings, prefix=f"{settings.prefix}bare-"))
    try:
        with pytest.raises(EngineUnavailable, match="edgar-ingest templates put"):
            await bare.search("filings", {}, Hit)
    finally:
        await bare.close()


async def test_index_of_an_older_template_gets_the_new_fields(
    engine: Engine, settings: Settings
) -> None:
    name = f"{settings.prefix}api_keys.all.v1"
    await engine.administer("DELETE", f"/{name}")
    older = {"_meta": {"version": 1}, "dynamic": "strict", "properties": {"id": KEYWORD}}
    aliases: dict[str, Any] = {f"{settings.prefix}api_keys": {}}
    aliases[f"{settings.prefix}api_keys.all"] = {}
    await engine.create_index(name, {"mappings": older, "aliases": aliases})
    await Indices(engine, settings).set_up()
    found = await engine.administer("GET", f"/{name}/_mapping")
    wanted = load_templates(settings.prefix)["api_keys"]["template"]["mappings"]
    assert found[name]["mappings"] == wanted


async def test_index_whose_fields_became_others_keeps_them(
    engine: Engine, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"{settings.prefix}usage.all.v1"
    await engine.administer("DELETE", f"/{name}")
    older = {"_meta": {"version": 0}, "properties": {"account": {"type": "long"}}}
    aliases: dict[str, Any] = {f"{settings.prefix}usage": {}, f"{settings.prefix}usage.all": {}}
    await engine.create_index(name, {"mappings": older, "aliases": aliases})
    await Indices(engine, settings).set_up()
    found = await engine.administer("GET", f"/{name}/_mapping")
    assert found[name]["mappings"]["properties"]["account"] == {"type": "long"}
    assert f"{name} keeps the fields with which it was created: see Upgrades" in caplog.messages
    await engine.administer("DELETE", f"/{name}")


async def test_index_whose_mapping_is_not_its_templates_is_named(
    engine: Engine, settings: Settings
) -> None:
    await Indices(engine, settings).set_up()
    assert await diff_live(engine, settings) == {}
    name = f"{settings.prefix}tickers.all.v1"
    body = {"properties": {"extra": {"type": "keyword"}}}
    await engine.administer("PUT", f"/{name}/_mapping", body)
    path = "mappings.properties.extra.type"
    assert await diff_live(engine, settings) == {
        name: [Difference(path, "keyword", None, "needs a rebuild")]
    }
    await engine.administer("DELETE", f"/{name}")


def with_a_field(kind: str, more: int) -> Callable[[str], dict[str, dict[str, Any]]]:
    """Return the templates, of which one has a field more and takes what it does not know."""

    def changed(prefix: str) -> dict[str, dict[str, Any]]:
        templates = load_templates(prefix)
        mappings = templates[kind]["template"]["mappings"]
        mappings["properties"]["extra"] = KEYWORD
        mappings["dynamic"] = "false"
        mappings["_meta"]["version"] += more
        return templates

    return changed


@pytest.mark.parametrize(
    ("kind", "more", "left"),
    [
        ("tickers", 0, []),
        ("tickers", 1, []),
        ("entities", 1, ["needs a rebuild"]),
        ("sections", 1, ["needs loading again"]),
    ],
)
async def test_what_applies_at_once_does(
    kind: str,
    more: int,
    left: list[str],
    engine: Engine,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await Indices(engine, settings).set_up()
    name = f"{settings.prefix}{kind}.all.v1"
    if left:  # With no entry it has all that a newer template has.
        await engine.administer("POST", f"/{name}/_doc?refresh=true", {})
    for module in (indices, live, templates):
        monkeypatch.setattr(module, "load_templates", with_a_field(kind, more))
    found = (await diff_live(engine, settings))[name]
    at_once = [each.path for each in found if each.effect == "applies at once"]
    assert {"mappings.dynamic", "mappings.properties.extra.type"} <= {*at_once}
    assert sorted(each.effect for each in found)[len(at_once) :] == left
    await Indices(engine, settings).set_up()
    after = (await diff_live(engine, settings)).get(name, [])
    assert [(each.path, each.effect) for each in after] == [
        ("mappings._meta.version", effect) for effect in left
    ]
    await engine.administer("DELETE", f"/{name}")


async def test_live_index_with_other_settings_is_named_and_changed_where_that_is_possible(
    engine: Engine, settings: Settings
) -> None:
    name = f"{settings.prefix}documents.all.v1"
    await engine.administer("DELETE", f"/{name}")
    # Without its template, which would give it what it lacks.
    await engine.administer("DELETE", template_path(settings.prefix, "documents"))
    shared = load_templates(settings.prefix)[SHARED]["template"]["settings"]
    older = {
        **shared,
        "index": {**shared["index"], "number_of_shards": 2, "refresh_interval": "5s"},
        "similarity": {"default": {"type": "BM25", "b": 0.5}},
    }
    aliases: dict[str, Any] = {f"{settings.prefix}documents": {}}
    aliases[f"{settings.prefix}documents.all"] = {}
    older["index"]["max_result_window"] = 100_000
    await engine.create_index(name, {"settings": older, "aliases": aliases})
    await put_templates(engine, settings.prefix)
    found = (await diff_live(engine, settings))[name]
    assert {each.effect for each in found if each.path.startswith("mappings.properties.")} == {
        "applies at once"
    }
    rebuilt = [
        Difference("settings.number_of_shards", "2", "1", "needs a rebuild"),
        Difference("settings.similarity.default.b", "0.5", None, "needs a rebuild"),
        Difference("settings.similarity.default.type", "BM25", None, "needs a rebuild"),
    ]
    live = Difference("settings.refresh_interval", "5s", "30s", "can be changed live")
    of_settings = [each for each in found if each.path.startswith("settings.")]
    assert of_settings == sorted([*rebuilt, live])
    assert live.lines == [
        "- settings.refresh_interval: 5s",
        "+ settings.refresh_interval: 30s  (can be changed live: edgar-ingest indices apply)",
    ]
    assert await apply(engine, settings) == {name: [live]}
    left = (await diff_live(engine, settings))[name]
    assert [each for each in left if each.path.startswith("settings.")] == rebuilt
    await engine.administer("DELETE", f"/{name}")
