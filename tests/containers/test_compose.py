"""`docker compose up` of docker-compose.yml, and the life of its containers, in this order."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.service import free_port
from tests.support.containers import Docker, Project, await_health
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.long
OURS = ("setup", "service", "alerts")
RUNNING = ("elasticsearch", "service", "alerts")
QUERY = "/v1/search?query=revenue"
FERRY = MadeUp(
    "0009990302-24-000001",
    (MadeUpEntity("9990302", "LANTERN FERRY CO"),),
    (MadeUpDocument("<P>The ferry carries zephyrwood.</P>", file_name="ferry.htm"),),
)
# Users make triggers at an issuer of tokens, of which there is none here.
WATCHER = """
import asyncio, os, sys
from edgar_search.alerts.notifications import Notifications
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.filters import DocumentFilters

async def act():
    engine = Engine.from_settings(Settings.from_environ(os.environ))
    if "watch" in sys.argv:
        fields = {"name": "wood", "query": "zephyrwood", "filters": DocumentFilters()}
        await AlertTriggers(engine).add("ann", fields)
    else:
        print((await Notifications(engine).page("ann", 10, 0)).total)
    await engine.close()

asyncio.run(act())
"""


class Installation:
    """The containers of docker-compose.yml, and a key of their service."""

    def __init__(self, project: Project, port: int) -> None:
        self.project = project
        self.url = f"http://127.0.0.1:{port}"
        self.key = ""

    def ask(self, path: str) -> Any:
        """Return the answer to a call; raises urllib.error.HTTPError."""
        request = urllib.request.Request(self.url + path, headers={"X-API-Key": self.key})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def page(self, path: str) -> str:
        """Return a page, as a browser without a key gets it."""
        with urllib.request.urlopen(self.url + path, timeout=60) as reply:
            return str(reply.read().decode())

    def ready(self) -> int:
        """Return the status of readiness."""
        try:
            with urllib.request.urlopen(f"{self.url}/health/ready", timeout=60) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def await_ready(self, status: int = 200) -> None:
        """Return once readiness has this status."""
        until = time.monotonic() + 600
        while (now := self.ready()) != status:
            assert time.monotonic() < until, now
            time.sleep(0.5)

    def inside(self, *command: str) -> str:
        """Run a command in the container of the service; its output."""
        return self.project.run("exec", "-T", "service", *command)


@pytest.fixture(scope="module")
def installation(docker: Docker) -> Iterator[Installation]:
    port = free_port()
    project = Project(
        docker, "edgar-test-compose", ES_HEAP="512m", ES_MEMORY="1g",
        SERVICE_ADDRESS=f"127.0.0.1:{port}",
    )  # fmt: skip
    project.end()
    try:
        began = time.monotonic()
        project.run("up", "--detach")
        print(f"docker compose up: {time.monotonic() - began:.0f} s")
        yield Installation(project, port)
    finally:
        project.end()


def passwords(installation: Installation) -> list[str]:
    return re.findall(r"has the password (\S+),", installation.project.log("prepare"))


def notifications(installation: Installation) -> int:
    return int(installation.inside("python", "-c", WATCHER))


def test_pages_are_open_and_have_the_samples(installation: Installation) -> None:
    installation.await_ready()
    assert "<mark>" in installation.page("/search?query=revenue")
    assert "<h1" in installation.page("/")


def test_password_is_made_and_shown_once(installation: Installation) -> None:
    (password,) = passwords(installation)
    assert len(password) == 24
    assert installation.inside("cat", "/certificates/password") == password


def test_key_made_in_the_container_is_answered(installation: Installation) -> None:
    said = installation.inside(
        "edgar-search", "keys", "create", "--name", "ann", "--plan", "unlimited"
    )
    installation.key = said.split()[-1]
    assert installation.ask(QUERY)["total_count"] > 0


def test_filings_from_a_folder_are_loaded_and_alerts_told(
    installation: Installation, tmp_path: Path
) -> None:
    installation.inside("python", "-c", WATCHER, "watch")
    (tmp_path / "ferry.txt").write_bytes(txt(FERRY))
    tmp_path.chmod(0o755)
    mount = ("--volume", f"{tmp_path}:/input:ro")
    load = ("service", "edgar-ingest", "load", "/input")
    installation.project.run("run", "--rm", "-T", *mount, *load)
    assert installation.ask("/v1/search?query=zephyrwood")["total_count"] == 1
    until = time.monotonic() + 60
    while not notifications(installation):
        assert time.monotonic() < until
        time.sleep(1)
    assert notifications(installation) == 1


@pytest.mark.parametrize("service", RUNNING)
def test_restart_of_a_container_loses_nothing(installation: Installation, service: str) -> None:
    before = installation.ask(QUERY)
    installation.project.run("restart", service)
    installation.await_ready()
    assert installation.ask(QUERY) == before


def test_service_is_not_ready_but_lives_while_elasticsearch_is_away(
    installation: Installation,
) -> None:
    installation.project.run("stop", "elasticsearch")
    installation.await_ready(503)
    assert installation.project.state("service")["Health"]["Status"] == "healthy"
    installation.project.run("start", "elasticsearch")
    installation.await_ready()


def test_health_turns_red_when_the_service_hangs_and_green_again(
    installation: Installation,
) -> None:
    project = installation.project
    await_health(project, "service", "healthy")
    # All processes but the first one, which the kernel shields from signals of its own container.
    installation.inside("sh", "-c", "kill -STOP -1")
    try:
        await_health(project, "service", "unhealthy")
    finally:
        installation.inside("sh", "-c", "kill -CONT -1")
    await_health(project, "service", "healthy")


def test_containers_of_the_service_have_few_rights(installation: Installation) -> None:
    docker = installation.project.docker
    for service in (*OURS, "elasticsearch"):
        (made,) = json.loads(docker.run("inspect", installation.project.container(service)))
        host = made["HostConfig"]
        assert host["CapDrop"] == ["ALL"] and not host["CapAdd"] and not host["Privileged"]
        assert host["ReadonlyRootfs"] == (service in OURS)
    assert installation.inside("id", "-u") == "10001\n"
    assert installation.project.run("exec", "-T", "elasticsearch", "id", "-u") == "1000\n"


def test_no_secret_is_in_what_docker_shows_or_containers_print(installation: Installation) -> None:
    docker, project = installation.project.docker, installation.project
    (password,) = passwords(installation)
    for service in ("prepare", *OURS, "elasticsearch"):
        shown = docker.run("inspect", project.container(service))
        log = project.log(service)
        assert installation.key not in shown + log
        assert password not in shown
        assert log.count(password) == (service == "prepare")
    assert password not in docker.run("history", "--no-trunc", "edgar-search")


def test_nothing_is_lost_when_all_containers_are_made_anew(installation: Installation) -> None:
    before = installation.ask(QUERY)
    installation.project.run("down")
    installation.project.run("up", "--detach")
    installation.await_ready()
    assert installation.ask(QUERY) == before
    assert passwords(installation) == []
    assert notifications(installation) == 1
