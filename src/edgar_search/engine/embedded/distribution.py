"""Getting Elasticsearch: fetched once, checked against a pinned sum, unpacked."""

import errno
import hashlib
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from edgar_search.engine.embedded.places import (
    Places,
    Report,
    control_folder,
    let_read,
    locked,
    make_open,
)
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings

GROUP = "org.elasticsearch.distribution.integ-test-zip"
ARTIFACT = "elasticsearch"
SHA256 = {
    "9.5.4": "d9b0c28e08e499f6510b52ad66ec4bf9cdceab97cc28b3456989b8744b896934",
    "9.2.4": "af7b81fe31627c7523b2546351cd4e47310faa6a72c8db8dc8f7a191e871cfaf",
}
MEGABYTES = {"9.5.4": 132, "9.2.4": 100}
TRIES = 3
PAUSE_SECONDS = 2.0
STALL_SECONDS = 60
PARTIAL = "partial-"

Fetch = Callable[[str, Path], Path]


def unpacked(version: str, settings: Settings, where: Places, report: Report) -> Path:
    """Return the folder of the unpacked engine, fetched first if it is not in the cache.

    Raises EngineUnavailable if it cannot be fetched.
    """
    target = where.folder / "distribution" / version
    if target.exists():
        return target
    archive = archived(version, _cache(settings), report, fetch_archive)
    report(f"unpacking Elasticsearch {version}")
    make_open(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as fresh:
        unpack(archive, Path(fresh)).rename(target)
    return target


def archived(version: str, cache: Path, report: Report, fetch: Fetch) -> Path:
    """Return the engine's archive in the cache, fetched if it is missing or damaged."""
    target = cache / f"elasticsearch-{version}.zip"
    with locked(cache, report):
        for rest in cache.glob(f"{PARTIAL}*"):  # of a process that was killed
            shutil.rmtree(rest, ignore_errors=True)
        if not (target.exists() and sha256(target) == SHA256[version]):
            report(f"fetching Elasticsearch {version} ({MEGABYTES[version]} MB, once)")
            _fetch_checked(version, target, report, fetch)
    return target


def _fetch_checked(version: str, target: Path, report: Report, fetch: Fetch) -> None:
    problem = ""
    for _ in range(TRIES):
        if problem:
            report(f"that failed: {problem}; trying again")
            time.sleep(PAUSE_SECONDS)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=PARTIAL) as folder:
            try:
                got = fetch(version, Path(folder))
                if sha256(got) == SHA256[version]:
                    got.replace(target)
                    return
                problem = "what came has the wrong checksum"
            except (OSError, RuntimeError) as error:
                problem = explain(error)
                if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                    break
    raise EngineUnavailable(
        f"Elasticsearch {version} ({MEGABYTES[version]} MB) could not be fetched: {problem}"
    )


def fetch_archive(version: str, folder: Path) -> Path:
    """Fetch the archive into `folder`. Raises OSError or RuntimeError, with texts of others."""
    from jgo.maven import MavenContext  # late: takes 0.2 s, and a running engine needs none of it

    context = MavenContext(repo_cache=folder, timeout=STALL_SECONDS)
    component = context.project(GROUP, ARTIFACT).at_version(version)
    return Path(component.artifact(packaging="zip").resolve())


def explain(error: Exception) -> str:
    """Say in a few words why a fetch failed; others' texts name hosts, so none is passed on."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.strerror or "input/output error"
    if "SSL" in type(error).__name__:
        return "its certificate is not trusted; set REQUESTS_CA_BUNDLE to the authority's file"
    if "Timeout" in type(error).__name__:
        return "no answer in time"
    if isinstance(error, OSError):
        return "no connection, or it broke off; behind a proxy, set HTTPS_PROXY"
    return "the registry did not give it"


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack into `folder`; return the one folder that the archive holds.

    Restores the run bits, which zipfile drops, and lets the engine's account read all of it.
    """
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    (top,) = folder.iterdir()
    for program in (top / "bin").iterdir():
        program.chmod(0o755)
    let_read(top)
    return top


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cache(settings: Settings) -> Path:
    if settings.engine_cache is None:
        return control_folder(settings) / "cache"
    return settings.engine_cache.expanduser().resolve()
