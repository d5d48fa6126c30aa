"""A Docker engine for tests, images for it, and docker-compose.yml brought up on it.

The engine is the one that answers here, or `dockerd` with a folder of its own. Base images come
from a registry, or, if none is reached, of Debian's packages, this machine's authorities of TLS,
and the Elasticsearch that `edgar-search engine` unpacks.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from edgar_search.engine.embedded import install
from tests.support.engines import CACHE, CHECKOUT, IMAGE, embedded_settings

PYTHON_IMAGE, OWN_IMAGE = "python:3.11-slim", "edgar-search"
PULL_SECONDS, BUILD_SECONDS, UP_SECONDS = 120.0, 1_500.0, 900.0
_FOLDER = CHECKOUT / ".edgar" / "docker"
_SOCKET = "unix:///run/edgar-search-tests.sock"
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_PACKAGES = "python3,python3-pip,python3-venv,ca-certificates,curl,unzip"


class Missing(Exception):
    """A container cannot be started here; the message says for want of what."""


class Docker(NamedTuple):
    """A client of a running engine, and the command of Compose."""

    program: str
    compose: tuple[str, ...]
    environment: Mapping[str, str]

    def run(self, *arguments: str, seconds: float = 120.0, stdin: Any = None) -> str:
        """Run a command of the client; its output. AssertionError if it fails."""
        done = self.attempt([self.program, *arguments], seconds, stdin=stdin)
        assert done.returncode == 0, f"docker {arguments[0]}: {done.stderr}"
        return done.stdout

    def attempt(
        self,
        command: list[str],
        seconds: float,
        variables: Mapping[str, str] | None = None,
        stdin: Any = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end, with these variables more."""
        return subprocess.run(
            command,
            env={**self.environment, **(variables or {})},
            cwd=CHECKOUT,
            stdin=stdin or subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def has(self, image: str) -> bool:
        """Return True if the engine has an image of this name."""
        return bool(self.run("images", "--quiet", image).strip())

    def build(self, image: str, folder: Path, *options: str) -> None:
        """Make an image of a folder, with what pip is told on this machine as a secret."""
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as settings:
            settings.write(_pip_settings())
            settings.flush()
            secret = f"id=pip,src={settings.name}"
            self.run(
                "build", "--tag", image, "--secret", secret, *options, str(folder),
                seconds=BUILD_SECONDS,
            )  # fmt: skip


@contextmanager
def docker_engine() -> Iterator[Docker]:
    """Yield the engine that answers, or one that is started for this. Raises Missing."""
    environment = {**os.environ, "DOCKER_BUILDKIT": "1"}
    program, compose = _client(), _compose()
    if _answers(program, environment):
        yield Docker(program, compose, environment)
        return
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        raise Missing("no Docker engine answers, and none can be started: `make docker`, as root")
    environment["DOCKER_HOST"] = _SOCKET
    run = Path("/run/edgar-search-tests")
    with tempfile.TemporaryFile() as log:
        daemon = subprocess.Popen(
            ["dockerd", "--data-root", str(_FOLDER), "--exec-root", str(run), "--pidfile",
             f"{run}.pid", "--host", _SOCKET],
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            until = time.monotonic() + 60
            while not _answers(program, environment):
                if daemon.poll() is not None or time.monotonic() > until:
                    log.seek(0)
                    last = log.read().decode().strip().rpartition("\n")[2]
                    raise Missing(f"dockerd does not start here: {last}")
                time.sleep(0.5)
            yield Docker(program, compose, environment)
        finally:
            daemon.terminate()
            daemon.wait(60)


def make_images(docker: Docker) -> None:
    """Make the images that the files of Docker name, the service's anew. Raises Missing."""
    for image, make in ((PYTHON_IMAGE, _make_python), (IMAGE, _make_elasticsearch)):
        if docker.has(image):
            continue
        try:
            done = docker.attempt([docker.program, "pull", "--quiet", image], PULL_SECONDS)
            pulled = done.returncode == 0
        except subprocess.TimeoutExpired:
            pulled = False
        if not pulled:
            make(docker)
    docker.build(OWN_IMAGE, CHECKOUT)


class Project:
    """docker-compose.yml, or another file, with volumes and containers of this name."""

    def __init__(self, docker: Docker, name: str, *files: str, **variables: str) -> None:
        self.docker, self.name, self.files = docker, name, files or ("docker-compose.yml",)
        # The example has no line that counts; what .env says is not for tests.
        self.variables = {"COMPOSE_PROJECT_NAME": name, **variables}

    def attempt(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of Compose to its end."""
        files = [word for file in self.files for word in ("--file", file)]
        command = [*self.docker.compose, "--env-file", ".env.example", *files, *arguments]
        return self.docker.attempt(command, UP_SECONDS, {**self.variables, **variables})

    def run(self, *arguments: str, **variables: str) -> str:
        """Run a command of Compose; its output. AssertionError if it fails."""
        done = self.attempt(*arguments, **variables)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def container(self, service: str) -> str:
        """Return the id of the container of a service."""
        found = self.docker.run(
            "ps", "--all", "--quiet", "--no-trunc",
            "--filter", f"label=com.docker.compose.project={self.name}",
            "--filter", f"label=com.docker.compose.service={service}",
        ).split()  # fmt: skip
        assert len(found) == 1, f"{service}: {found}"
        return found[0]

    def state(self, service: str) -> dict[str, Any]:
        """Return the state of the container of a service."""
        (found,) = json.loads(self.docker.run("inspect", self.container(service)))
        state: dict[str, Any] = found["State"]
        return state

    def log(self, service: str) -> str:
        """Everything that the container of a service has printed."""
        done = self.docker.attempt([self.docker.program, "logs", self.container(service)], 60)
        return done.stdout + done.stderr

    def end(self) -> None:
        """Remove containers and volumes."""
        self.run("down", "--volumes", "--remove-orphans", "--timeout", "5")


def await_health(project: Project, service: str, health: str, seconds: float = 900.0) -> None:
    """Return once the health of a container is this."""
    until = time.monotonic() + seconds
    while (now := project.state(service)["Health"]["Status"]) != health:
        assert time.monotonic() < until, f"{service} is {now}, not {health}"
        time.sleep(1)


def _client() -> str:
    """Return the client of Docker that builds with BuildKit."""
    for folder in os.get_exec_path():
        program = shutil.which("docker", path=folder)
        if program is None:
            continue
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"version (\d+)", said)
        # From 23 on it is a plug-in, which a client may lack.
        builds = subprocess.run([program, "buildx", "version"], capture_output=True)
        if version and (int(version[1]) < 23 or builds.returncode == 0):
            return program
    raise Missing("no Docker client with BuildKit: `make docker` installs Debian's")


def _compose() -> tuple[str, ...]:
    for command in (("docker", "compose"), ("docker-compose",)):
        if (
            shutil.which(command[0])
            and not subprocess.run([*command, "version"], capture_output=True).returncode
        ):
            return command
    raise Missing("no Docker Compose: `make docker` installs Debian's")


def _answers(program: str, environment: Mapping[str, str]) -> bool:
    return not subprocess.run([program, "info"], env=environment, capture_output=True).returncode


def _pip_settings() -> str:
    """The settings of this machine's pip that count in a container too, as a file of them."""
    said = subprocess.run(
        ["python3", "-m", "pip", "config", "list"], capture_output=True, text=True
    ).stdout
    found = re.findall(r"^global\.(index-url|extra-index-url|trusted-host)='(.*)'$", said, re.M)
    return "".join(["[global]\n", *(f"{name} = {value}\n" for name, value in found)])


def _make_python(docker: Docker) -> None:
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        raise Missing(f"{PYTHON_IMAGE} cannot be pulled, nor made: `make docker`, as root")
    with tempfile.TemporaryDirectory(dir=CHECKOUT / ".edgar") as folder:
        root = Path(folder) / "root"
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", str(root)],
            check=True, capture_output=True, timeout=BUILD_SECONDS,
        )  # fmt: skip
        shutil.copyfile(_AUTHORITIES, root / _AUTHORITIES.relative_to("/"))
        (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
        for kept in (root / "var/cache/apt/archives").glob("*.deb"):
            kept.unlink()
        # As in the publisher's: apt keeps no lists of its own.
        (root / "etc/apt/apt.conf.d/docker-clean").write_text(
            'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n'
        )
        archive = Path(folder) / "root.tar"
        subprocess.run(
            ["tar", "-C", str(root), "--exclude=./proc", "--exclude=./sys", "--exclude=./dev",
             "-cf", str(archive), "."],
            check=True,
        )  # fmt: skip
        docker.run("import", str(archive), PYTHON_IMAGE, seconds=BUILD_SECONDS)


def _make_elasticsearch(docker: Docker) -> None:
    version = IMAGE.partition(":")[2]
    engine = install.choose(embedded_settings())
    if engine.version != version:
        raise Missing(f"{IMAGE} cannot be pulled, nor made: there is no full JDK of 21 or newer")
    archive = install.find_or_fetch(version, CACHE, print, install.fetch_archive)
    with tempfile.TemporaryDirectory(dir=CHECKOUT / ".edgar") as folder:
        context = Path(folder)
        shutil.copytree(CHECKOUT / "tests/containers/elasticsearch", context, dirs_exist_ok=True)
        (context / "unpacked").mkdir()
        install.unpack(archive, context / "unpacked").rename(context / "elasticsearch")
        unneeded = shutil.ignore_patterns("src.zip", "jmods", "demo")
        shutil.copytree(engine.java, context / "jdk", ignore=unneeded)
        docker.build(IMAGE, context)
