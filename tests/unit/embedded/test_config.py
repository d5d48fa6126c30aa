"""The configuration of the embedded engine."""

import socket
from pathlib import Path

import pytest

from edgar_search.engine.embedded import process
from edgar_search.engine.embedded.folders import EngineFolders, State
from edgar_search.engine.embedded.process import choose_port, jvm_options, settings_text
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings

WHERE = EngineFolders(Path("/home/é/engine"))
OPTIONS = "-XX:+UseG1GC\n20-:--add-modules=jdk.incubator.vector\n-Xss1m\n"


def test_settings_text() -> None:
    assert settings_text(WHERE, 20123, allow_mmap=False, free=10**12) == (
        f'cluster.name: "{WHERE.cluster_name}"\n'
        'discovery.type: "single-node"\n'
        'network.host: "127.0.0.1"\n'
        "http.port: 20123\n"
        'path.logs: "/home/\\u00e9/engine/logs"\n'
        'path.repo: ["/home/\\u00e9/engine/snapshots"]\n'
        "xpack.security.enabled: false\n"
        'cluster.routing.allocation.disk.watermark.low: "1000000000b"\n'
        'cluster.routing.allocation.disk.watermark.high: "750000000b"\n'
        'cluster.routing.allocation.disk.watermark.flood_stage: "500000000b"\n'
        'cluster.info.update.interval: "10s"\n'
        "action.auto_create_index: false\n"
        "node.store.allow_mmap: false\n"
    )


@pytest.mark.parametrize(
    ("max_maps", "files", "mapped"),
    [
        (262_144, 10**6, True),
        (65_530, 0, True),
        (65_530, 8_191, True),
        (65_530, 8_192, False),
        (32_768, 0, True),
        (32_767, 0, False),
    ],
)
def test_files_are_mapped_where_there_is_room(max_maps: int, files: int, mapped: bool) -> None:
    assert process.may_map(max_maps, files) is mapped


@pytest.mark.parametrize(("files", "mapped"), [(4_096, "true"), (4_097, "false")])
def test_files_of_all_indices_count(
    files: int, mapped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, where, limit = (
        tmp_path / "distribution",
        EngineFolders(tmp_path / "engine"),
        tmp_path / "limit",
    )
    limit.write_text("32768\n")
    monkeypatch.setattr(process, "MAX_MAP_COUNT", limit)
    (home / "config").mkdir(parents=True)
    (home / "config" / "jvm.options").write_text(OPTIONS)
    for number in range(files):
        folder = where.data / "indices" / str(number % 3) / "0" / "index"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"_{number}.cfs").touch()
    process.write(home, where, 20123, frozenset())
    written = (where.config / "elasticsearch.yml").read_text()
    assert f"node.store.allow_mmap: {mapped}\n" in written


@pytest.mark.parametrize("free", [0, 10**6, 10**8, 10**9, 10**10, 10**13])
def test_disk_bounds_are_below_what_is_free_and_in_order(free: int) -> None:
    values = process.disk_settings(free).values()
    low, high, flood = [int(value.removesuffix("b")) for value in values if value.endswith("b")]
    assert flood <= high <= low <= free
    assert low <= process.LOW_BYTES


def test_vector_module_is_left_out_where_java_has_none() -> None:
    assert jvm_options(OPTIONS, frozenset({"java.base"})) == (
        "-XX:+UseG1GC\n# 20-:--add-modules=jdk.incubator.vector\n-Xss1m\n"
    )


def test_vector_module_stays_where_java_has_it() -> None:
    assert jvm_options(OPTIONS, frozenset({"jdk.incubator.vector"})) == OPTIONS


def test_configuration_is_made_anew(tmp_path: Path) -> None:
    home, where = tmp_path / "distribution", EngineFolders(tmp_path / "engine")
    (home / "config").mkdir(parents=True)
    (home / "config" / "jvm.options").write_text(OPTIONS)
    where.config.mkdir(parents=True)
    (where.config / "left-over").touch()
    process.write(home, where, 20123, frozenset())
    found = sorted(path.name for path in where.config.iterdir())
    assert found == ["elasticsearch.yml", "jvm.options"]


def test_listening_port_is_not_free() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        assert not process.is_free(server.getsockname()[1])


def test_port_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "is_free", lambda _port: True)
    last = State("", 20001, "9.5.4")
    assert choose_port(Settings(engine_port=20002), last, WHERE) == 20002


def test_taken_port_of_the_settings_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "is_free", lambda _port: False)
    with pytest.raises(EngineUnavailable, match="EDGAR_SEARCH_ENGINE_PORT: 20002 is taken"):
        choose_port(Settings(engine_port=20002), None, WHERE)


def test_port_of_the_last_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "is_free", lambda _port: True)
    assert choose_port(Settings(), State("", 20001, "9.5.4"), WHERE) == 20001


def test_next_port_if_the_last_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    own = choose_port(Settings(), None, WHERE)
    monkeypatch.setattr(process, "is_free", lambda port: port not in (20001, own))
    assert choose_port(Settings(), State("", 20001, "9.5.4"), WHERE) == own + 1


def test_port_is_the_same_for_the_same_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "is_free", lambda _port: True)
    first, second = (choose_port(Settings(), None, WHERE) for _ in range(2))
    assert first == second
    assert 20_000 <= first < 30_000
