"""The embedded engine as a process of this machine: configure, start, find and signal it."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from edgar_search.engine.embedded.folders import EngineFolders, State, digest, give
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings

# Below the range that Linux uses for outgoing connections: otherwise another program could take the
# port of a stopped engine, or a client that retries could connect to itself.
FIRST_PORT, PORTS = 20_000, 10_000
# Elasticsearch's requirement of vm.max_map_count for a node in production, which may have 1,000
# shards of many mapped files each. Linux's default is often a quarter of it.
NEEDED_MAPS = 262_144
# With a lower limit, files are mapped only if it is this many times their present number.
ROOM_FOR_MAPS = 8
_FEWEST_MAPS = 32_768
MAX_MAP_COUNT = Path("/proc/sys/vm/max_map_count")
# In bytes: with Elasticsearch's defaults, which are shares of the disk, a laptop that is 90 % full
# would take no writes with a hundred gigabytes left.
LOW_BYTES, HIGH_BYTES, FLOOD_BYTES = 1_000_000_000, 750_000_000, 500_000_000
_DISK = "cluster.routing.allocation.disk"
VECTOR_MODULE = "jdk.incubator.vector"


def choose_port(settings: Settings, last: State | None, where: EngineFolders) -> int:
    """Return the port of the settings, else that of the last run, else one made from the folder.

    So a restarted engine has the same URL for a service.
    Raises EngineUnavailable if the settings' port is taken.
    """
    if settings.engine_port:
        if not is_free(settings.engine_port):
            raise EngineUnavailable(f"EDGAR_SEARCH_ENGINE_PORT: {settings.engine_port} is taken")
        return settings.engine_port
    known = [last.port] if last else []
    free = (port for port in (*known, *ports_of(where)) if is_free(port))
    return next(free)


def ports_of(where: EngineFolders) -> Iterator[int]:
    """Yield every port that an engine of this folder may take, its own first."""
    first = int(digest(where.folder), 16) % PORTS
    return (FIRST_PORT + (first + step) % PORTS for step in range(PORTS))


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the engine does, so that connections left behind by a killed engine do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def write(home: Path, where: EngineFolders, port: int, modules: frozenset[str]) -> None:
    """Write the configuration folder anew from the distribution's own."""
    shutil.rmtree(where.config, ignore_errors=True)
    shutil.copytree(home / "config", where.config)
    free = free_bytes(where)
    index_files = sum(len(files) for _, _, files in os.walk(where.data / "indices"))
    mapped = may_map(int(MAX_MAP_COUNT.read_text()), index_files)
    (where.config / "elasticsearch.yml").write_text(settings_text(where, port, mapped, free))
    options = where.config / "jvm.options"
    options.write_text(jvm_options(options.read_text(), modules))
    account = where.account
    for path in (where.config, *where.config.rglob("*")):
        give(path, account)


def settings_text(where: EngineFolders, port: int, allow_mmap: bool, free: int) -> str:
    """Return the text of `elasticsearch.yml`; values are JSON, which is valid YAML.

    `free` is the number of free bytes on the disk with the data.
    """
    values = {
        "cluster.name": where.cluster_name,
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": port,
        "path.logs": str(where.logs),
        "path.repo": [str(where.snapshots)],
        "xpack.security.enabled": False,
        **disk_settings(free),
        "action.auto_create_index": False,
        "node.store.allow_mmap": allow_mmap,
    }
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in values.items())


def may_map(max_maps: int, files: int) -> bool:
    """Return True if an engine may map its indices, which have this many files.

    Mapped files make searches faster (decision 0038), but a shard fails if no map is left for one
    of its files.
    """
    return max_maps >= min(NEEDED_MAPS, max(_FEWEST_MAPS, ROOM_FOR_MAPS * files))


def free_bytes(where: EngineFolders) -> int:
    """Return the free bytes of the disk that holds, or will hold, the data."""
    return shutil.disk_usage(where.data if where.data.exists() else where.folder).free


def disk_settings(free: int) -> dict[str, str]:
    """Return the free bytes below which the engine makes no indices, and then takes no writes.

    If less is free at the start, the bounds are lower, because below them the engine would not open
    its indices. So its data can always be searched, and deleted to make room.
    """
    part = min(1.0, free / (2 * LOW_BYTES))
    bounds = (("low", LOW_BYTES), ("high", HIGH_BYTES), ("flood_stage", FLOOD_BYTES))
    watermarks = {f"{_DISK}.watermark.{name}": f"{int(size * part)}b" for name, size in bounds}
    return {**watermarks, "cluster.info.update.interval": "10s"}  # the shortest that it allows


def jvm_options(text: str, modules: frozenset[str]) -> str:
    """Return `jvm.options`, without the line for the vector module if this Java lacks it."""
    if VECTOR_MODULE in modules:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(
        f"# {line}" if VECTOR_MODULE in line and not line.startswith("#") else line
        for line in lines
    )


MEMORY = Path("/proc/meminfo")
_LITTLE_BYTES = 200_000_000
_BUSY = 1.5  # processes that wait for a core, for each core
_LOG_CHARACTERS = 100
_LOG_END_BYTES = 4096
# A line of Elasticsearch's log; the group is its message, without time, level, logger and node.
_MESSAGE = re.compile(r"^\[[^]]*\]\[[^]]*\]\[[^]]*\] \[[^]]*\] ?(.+)$", re.MULTILINE)


def reason(where: EngineFolders) -> str:
    """Return in a few words why this folder's engine is not ready yet."""
    lines = MEMORY.read_text().splitlines()
    kilobytes = dict(line.split(":") for line in lines)["MemAvailable"].split()[0]
    cause = of_machine(os.getloadavg()[0], os.cpu_count() or 1, int(kilobytes) * 1024)
    with where.log.open("rb") as log:
        log.seek(max(0, where.log.stat().st_size - _LOG_END_BYTES))
        message = last_message(log.read().decode(errors="replace"))
    return f"{cause}; its log says last: {message}" if message else f"{cause}; its log is empty"


def of_machine(load: float, cores: int, free: int) -> str:
    """Return how the machine slows a start; `free` is its free memory in bytes."""
    if free < _LITTLE_BYTES:
        return f"memory is short ({free / 1e6:.0f} MB are free)"
    if load > _BUSY * cores:
        return f"the machine is busy (load {load:.1f} on {cores} cores)"
    return f"the machine or its disk is slow (load {load:.1f} on {cores} cores)"


def last_message(log: str) -> str:
    """Return the last line of Elasticsearch's log, cut to 100 characters, or an empty text."""
    messages: list[str] = _MESSAGE.findall(log)
    return messages[-1].strip()[:_LOG_CHARACTERS] if messages else ""


ASK_SECONDS = 5.0
TAIL_BYTES = 64 * 1024
LAST_LINES = 8
LOOK_AGAIN_SECONDS = 0.2
BAD_LINE = re.compile(r"ERROR|Exception|Error\b|insufficient")
# The shell starts the engine in the background and ends, so the engine is not a child of this
# process: it leaves no zombie behind and can outlive it.
BACKGROUND = '"$@" </dev/null &'
SHARDS_SECONDS = 30


class Health(msgspec.Struct):
    """The fields of the reply to GET /_cluster/health that tell engines apart."""

    cluster_name: str


def start(home: Path, java: Path, where: EngineFolders, options: str) -> None:
    """Start the engine with these options of its Java, without waiting for it.

    Raises EngineUnavailable.
    """
    command = ["/bin/sh", "-c", BACKGROUND, "sh", str(home / "bin/elasticsearch"), _mark(where)]
    user, group = where.account or (None, None)
    with where.log.open("wb") as log:
        try:
            subprocess.run(
                command,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=where.folder,
                env=environment(java, where, options),
                user=user,
                group=group,
                extra_groups=None if user is None else [],
                umask=0o077,  # the data contain users' keys and items
                start_new_session=True,  # Ctrl-C in this terminal must not reach the engine
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise EngineUnavailable(f"the embedded engine cannot be started: {error}") from error


def environment(java: Path, where: EngineFolders, options: str) -> dict[str, str]:
    """Return the engine's whole environment; the keys in ours must not reach it."""
    return {
        "PATH": os.defpath,
        "HOME": str(where.temp),
        "LANG": "C.UTF-8",
        "ES_JAVA_HOME": str(java),
        "ES_PATH_CONF": str(where.config),
        "ES_TMPDIR": str(where.temp),
        "ES_JAVA_OPTS": options,
    }


def _mark(where: EngineFolders) -> str:
    # On the command line, not in elasticsearch.yml, so that /proc shows whose engine a process is.
    return f"-Epath.data={where.data}"


def launcher(where: EngineFolders) -> int | None:
    """Return the process id of this folder's engine, or None if it does not run."""
    return next(_processes_with(_mark(where)), None)


def all_of(where: EngineFolders) -> list[int]:
    """Return the process ids of this folder's launcher, and of its server if that still runs."""
    # The server's own command line names neither the data nor, in 9.5, the configuration.
    return list(
        dict.fromkeys(
            [*_processes_with(_mark(where)), *_processes_with(f"-Djava.io.tmpdir={where.temp}")]
        )
    )


def has_ended(where: EngineFolders) -> bool:
    """Return True if no process of this folder's engine runs; takes 0.2 seconds if so."""
    if all_of(where):
        return False
    # A process that execs another program shows no arguments for a moment.
    time.sleep(LOOK_AGAIN_SECONDS)
    return not all_of(where)


def _processes_with(argument: str) -> Iterator[int]:
    # Process ids are reused; arguments with our path are not. A zombie has no arguments.
    wanted = argument.encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if wanted in (folder / "cmdline").read_bytes().split(b"\0"):
                    yield int(folder.name)


def signal_all(pids: Iterable[int], kill: bool) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL if kill else signal.SIGTERM)


def answers(url: str, cluster_name: str) -> bool:
    """Return True if the engine with this cluster name answers at `url`."""
    health = _health(f"{url}/_cluster/health", ASK_SECONDS)
    return health is not None and health.cluster_name == cluster_name


def is_silent(url: str) -> bool:
    """Return True if no engine answers at `url`."""
    return _health(f"{url}/_cluster/health", ASK_SECONDS) is None


def await_shards(url: str) -> None:
    """Wait until the data of earlier runs can be searched, for at most 30 seconds.

    An engine answers before it has read its own state, but refuses writes and searches until then.
    """
    wait = f"wait_for_status=yellow&timeout={SHARDS_SECONDS}s"
    _health(f"{url}/_cluster/health?{wait}", SHARDS_SECONDS + ASK_SECONDS)


def _health(url: str, seconds: float) -> Health | None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback: no proxy
    try:
        with opener.open(url, timeout=seconds) as reply:
            return msgspec.json.decode(reply.read(), type=Health)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None


def last_words(where: EngineFolders) -> str:
    """Return the lines of the log that most likely explain why the engine did not start."""
    with where.log.open("rb") as log:
        log.seek(max(0, where.log.stat().st_size - TAIL_BYTES))
        return meaningful(log.read().decode(errors="replace"))


def meaningful(log: str) -> str:
    """Return the last lines from the first error on, without stack frames."""
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith("\t")]
    remarkable = [line for line in lines if "[INFO ]" not in line]
    bad = (at for at, line in enumerate(remarkable) if BAD_LINE.search(line))
    first = next(bad, None)
    return "\n".join(lines[-LAST_LINES:] if first is None else remarkable[first:][:LAST_LINES])
