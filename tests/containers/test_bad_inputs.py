"""Inputs that cannot work: the container that ends says so in one sentence, and nothing is lost."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.containers import Docker, Project, await_health
from tests.support.engines import IMAGE

pytestmark = pytest.mark.long
NAME = "edgar-test-bad"
SMALL = {"ES_HEAP": "512m", "ES_MEMORY": "1g"}
Begin = Callable[..., Project]


@pytest.fixture
def begin(docker: Docker, tmp_path: Path) -> Iterator[Begin]:
    """Make a project; `override` is the content of a second file. Volumes are removed after it."""
    begun: list[Project] = []

    def make(override: object = None, **variables: str) -> Project:
        files = ["docker-compose.yml"]
        if override is not None:
            second = tmp_path / "second.yml"
            second.write_text(yaml.safe_dump(override))
            files.append(str(second))
        project = Project(docker, NAME, *files, **SMALL, **variables)
        project.end()
        begun.append(project)
        return project

    yield make
    for project in begun:
        project.end()


def refusal(project: Project) -> str:
    """Return the one sentence of `prepare`, which ends before anything is made."""
    done = project.attempt("up", "--no-deps", "prepare")
    state = project.state("prepare")
    assert (state["Status"], state["ExitCode"]) == ("exited", 1), done
    (line,) = project.log("prepare").splitlines()
    return line.removeprefix("edgar-search: ")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"ELASTIC_PASSWORD": "abc"},
            "ELASTIC_PASSWORD has 3 characters and Elasticsearch needs 6: give a longer one in"
            " .env, or remove the line, and one is made",
        ),
        (
            {"ES_HEAP": "much"},
            'ES_HEAP is "much" in .env and must be a number and m or g, such as 512m or 4g',
        ),
        (
            {"ES_HEAP": "2g", "ES_MEMORY": "2g"},
            "ES_MEMORY=2g is too little for ES_HEAP=2g, for Elasticsearch needs half as much again:"
            " set ES_MEMORY to 3072m or more in .env, or ES_HEAP to less",
        ),
        (
            {"SERVICE_ADDRESS": "0.0.0.0:8000"},
            "SERVICE_ADDRESS=0.0.0.0:8000 can be reached from other machines, and the pages would"
            " be open to all of them: set PAGES in .env, to off, signed-in or open",
        ),
    ],
)
def test_wrong_setting_is_refused_before_anything_is_made(
    begin: Begin, variables: dict[str, str], sentence: str
) -> None:
    project = begin()
    project.variables.update(variables)
    assert refusal(project) == sentence


def test_memory_of_the_machine_below_the_need_is_refused(begin: Begin) -> None:
    project = begin()
    project.variables.update({"ES_HEAP": "900g", "ES_MEMORY": "1400g"})
    assert re.fullmatch(
        r"this machine has \d+ MiB of memory and Elasticsearch needs 1382400 MiB with ES_HEAP=900g:"
        r" set ES_HEAP=512m and ES_MEMORY=1g in .env",
        refusal(project),
    )


def memory_volume(options: str) -> object:
    """A second file in which the volume `data` is in memory, with these options of a mount."""
    mount = {"type": "tmpfs", "device": "tmpfs", "o": options}
    return {"volumes": {"data": {"driver_opts": mount}}}


def test_volume_without_room_is_refused(begin: Begin) -> None:
    assert refusal(begin(memory_volume("size=64m"))) == (
        "the volume `data` has 64 MiB of room and Elasticsearch needs 1500 MiB: make room on the"
        " disk of Docker, or move the volume"
    )


def test_volume_without_rights_is_refused(begin: Begin) -> None:
    assert refusal(begin(memory_volume("ro,size=2g"))) == (
        "the volume `data` cannot be written by root: mount it for writing, from a disk that is"
        " not full and allows changes of owner"
    )


def test_several_nodes_are_refused_where_they_could_not_start(begin: Begin) -> None:
    few = {"soft": 1024, "hard": 1024}
    several = {"environment": {"NODES": "3"}, "ulimits": {"nofile": few}}
    assert refusal(begin({"services": {"prepare": several}})) == (
        "a container may have 1024 files open and each of several nodes needs 65535: raise"
        " LimitNOFILE of Docker's service"
    )


def test_taken_port_is_named_by_docker_and_another_is_a_setting(begin: Begin) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        project = begin(SERVICE_ADDRESS=address)
        done = project.attempt("up", "--no-deps", "--detach", "service")
    assert done.returncode != 0
    assert "address already in use" in done.stderr or "port is already allocated" in done.stderr


def test_first_start_that_is_killed_is_done_again_and_other_versions_leave_its_volume_alone(
    begin: Begin, docker: Docker, tmp_path: Path
) -> None:
    project = begin()
    project.run("up", "--detach", "prepare")
    docker.run("kill", project.container("prepare"))
    project.run("up", "--detach", "elasticsearch")
    docker.run("kill", project.container("elasticsearch"))
    project.run("up", "--detach", "elasticsearch")
    await_health(project, "elasticsearch", "healthy")
    # A password cannot be changed under an Elasticsearch that runs.
    project.variables["ELASTIC_PASSWORD"] = "another one"
    assert refusal(project) == (
        "Elasticsearch runs with another password than ELASTIC_PASSWORD in .env: first stop it, by"
        " docker compose down, which keeps the volumes"
    )
    del project.variables["ELASTIC_PASSWORD"]
    project.run("stop", "elasticsearch")

    version = IMAGE.partition(":")[2]
    (tmp_path / "Dockerfile").write_text(
        f"FROM {IMAGE}\nRUN mv lib/elasticsearch-{version}.jar lib/elasticsearch-9.0.1.jar\n"
    )
    docker.build("edgar-test-older", tmp_path)
    older = tmp_path / "older.yml"
    older.write_text(yaml.safe_dump({"services": {"prepare": {"image": "edgar-test-older"}}}))
    assert refusal(Project(docker, NAME, "docker-compose.yml", str(older), **SMALL)) == (
        f"the volume `data` was written by Elasticsearch {version} and this is 9.0.1, which cannot"
        " read it: use the image of that version or a newer one, or restore a backup into a new"
        " volume"
    )
    project.run("up", "--detach", "elasticsearch")
    await_health(project, "elasticsearch", "healthy")
