"""The engine as a process of this machine: start it, find it, ask it, signal it."""

import http.client
import os
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from edgar_search.engine.embedded.places import Places
from edgar_search.errors import EngineUnavailable

ASK_SECONDS = 5.0
TAIL_BYTES = 64 * 1024
LAST_LINES = 8
LOOK_AGAIN_SECONDS = 0.2
BAD_LINE = re.compile(r"ERROR|Exception|Error\b|insufficient")
# The shell puts the engine into the background and ends. So the engine is no child of ours: it
# leaves no zombie behind, and may run on.
BACKGROUND = '"$@" </dev/null &'
SHARDS_SECONDS = 30


class Health(msgspec.Struct):
    """The part of the reply of GET /_cluster/health that tells engines apart."""

    cluster_name: str


def start(home: Path, java: Path, where: Places, options: str) -> None:
    """Start the engine, its Java with these options, without awaiting it.

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
                umask=0o077,  # the data hold keys and users' things
                start_new_session=True,  # Ctrl-C in this terminal is not for the engine
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise EngineUnavailable(f"the embedded engine cannot be started: {error}") from error


def environment(java: Path, where: Places, options: str) -> dict[str, str]:
    """Return all that the engine sees of the environment: keys in ours are none of its business."""
    return {
        "PATH": os.defpath,
        "HOME": str(where.temp),
        "LANG": "C.UTF-8",
        "ES_JAVA_HOME": str(java),
        "ES_PATH_CONF": str(where.config),
        "ES_TMPDIR": str(where.temp),
        "ES_JAVA_OPTS": options,
    }


def _mark(where: Places) -> str:
    # On the command line, not in elasticsearch.yml, so that /proc tells whose engine a process is.
    return f"-Epath.data={where.data}"


def launcher(where: Places) -> int | None:
    """Return the process id of this folder's engine; None if it does not run."""
    return next(_having(_mark(where)), None)


def all_of(where: Places) -> list[int]:
    """Return the process ids of this folder's launcher and server, which may outlive it shortly."""
    # The server's own command line names neither the data nor, in 9.5, the configuration.
    return list(dict.fromkeys([*_having(_mark(where)), *_having(f"-Djava.io.tmpdir={where.temp}")]))


def has_ended(where: Places) -> bool:
    """Say whether nothing of this folder's engine runs; takes 0.2 seconds when so."""
    if all_of(where):
        return False
    # A process that just becomes another program shows no arguments for a moment.
    time.sleep(LOOK_AGAIN_SECONDS)
    return not all_of(where)


def _having(argument: str) -> Iterator[int]:
    # Process ids are used again, arguments with our own path are not. A zombie has none.
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
    """Say whether the engine of that name answers at `url`."""
    health = _health(f"{url}/_cluster/health", ASK_SECONDS)
    return health is not None and health.cluster_name == cluster_name


def is_silent(url: str) -> bool:
    """Say whether no engine answers at `url`."""
    return _health(f"{url}/_cluster/health", ASK_SECONDS) is None


def await_shards(url: str) -> None:
    """Wait until what an earlier run stored can be searched; 30 seconds at most.

    An engine answers before it has read its own state, and refuses writes and searches until then.
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


def last_words(where: Places) -> str:
    """Return the lines of the log that are most likely to tell why the engine did not start."""
    with where.log.open("rb") as log:
        log.seek(max(0, where.log.stat().st_size - TAIL_BYTES))
        return meaningful(log.read().decode(errors="replace"))


def meaningful(log: str) -> str:
    """Return the last lines from the first error on, without stack frames."""
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith("\t")]
    telling = [line for line in lines if "[INFO ]" not in line]
    bad = (at for at, line in enumerate(telling) if BAD_LINE.search(line))
    first = next(bad, None)
    return "\n".join(lines[-LAST_LINES:] if first is None else telling[first:][:LAST_LINES])
