"""Shipped files: those of Docker, which no test can run, and those that the wheel needs."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.document.pdf import FONTS_REMEDY
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.templates import SHARED
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web.operations import routes
from tests.support.engines import CHECKOUT, IMAGE

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())


def text(name: str) -> str:
    return (CHECKOUT / name).read_text()


def leaves(yaml: str) -> Iterator[tuple[str, str]]:
    """Yield the paths and values of block mappings; of a list the items are one value.

    It knows as much of YAML as docker-compose.yml uses: two blanks a level, no flow mappings.
    """
    path: list[str] = []
    for line in yaml.splitlines():
        content = line.strip()
        depth = (len(line) - len(line.lstrip())) // 2
        if not content or content.startswith("#"):
            continue
        key = re.match(r"([\w.<-]+):(?: +(.*))?$", content)
        if key is None or depth > len(path):
            yield "/".join(path), content.removeprefix("- ")
            continue
        path[depth:] = [key[1]]
        yield "/".join(path), re.sub(r"^&[\w-]+$", "", key[2] or "").strip("\"'")


@pytest.fixture(scope="module")
def compose() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, value in leaves(text("docker-compose.yml")):
        found.setdefault(path, []).extend([value] if value else [])
    return found


@pytest.fixture(scope="module")
def instructions() -> dict[str, list[str]]:
    """The Dockerfile's instructions, with continued lines joined."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", "", text("Dockerfile")).splitlines():
        name, _, rest = line.partition(" ")
        found.setdefault(name, []).append(rest)
    return found


@pytest.mark.parametrize("service", ["certificates", "elasticsearch"])
def test_compose_has_the_image_that_tests_use(compose: dict[str, list[str]], service: str) -> None:
    assert compose[f"services/{service}/image"] == [IMAGE]


@pytest.mark.parametrize("part", ["", "http.ssl.", "transport.ssl."])
def test_elasticsearch_has_security_and_tls_on(compose: dict[str, list[str]], part: str) -> None:
    path = f"services/elasticsearch/environment/xpack.security.{part}enabled"
    assert compose[path] == ["true"]


def test_elasticsearch_has_no_published_port(compose: dict[str, list[str]]) -> None:
    assert [path for path in compose if path.startswith("services/elasticsearch/ports")] == []


def test_elasticsearch_has_its_password_from_outside(compose: dict[str, list[str]]) -> None:
    required = ["${ELASTIC_PASSWORD:?set it in .env}"]
    assert compose["services/elasticsearch/environment/ELASTIC_PASSWORD"] == required
    assert compose["x-edgar-search/environment/EDGAR_SEARCH_ES_PASSWORD"] == required


def test_service_reaches_elasticsearch_by_tls_with_its_authority(
    compose: dict[str, list[str]],
) -> None:
    environment = "x-edgar-search/environment/EDGAR_SEARCH_ES_"
    assert compose[f"{environment}URL"] == ["https://elasticsearch:9200"]
    assert compose[f"{environment}CA"] == ["/certificates/ca/ca.crt"]
    assert "certificates:/certificates:ro" in compose["x-edgar-search/volumes"]


def test_compose_passes_settings_that_exist(compose: dict[str, list[str]]) -> None:
    environment = "x-edgar-search/environment/"
    named = {path.removeprefix(environment) for path in compose if path.startswith(environment)}
    known = {VARIABLE_PREFIX + name.upper() for name in Settings.__struct_fields__}
    assert named - known == set()


def test_service_is_published_on_loopback(compose: dict[str, list[str]]) -> None:
    assert compose["services/service/ports"] == ['"${SERVICE_ADDRESS:-127.0.0.1:8000}:8000"']


@pytest.mark.parametrize("service", ["setup", "service", "alerts", "follow"])
def test_our_services_share_what_they_have_in_common(
    compose: dict[str, list[str]], service: str
) -> None:
    assert compose[f"services/{service}/<<"] == ["*edgar-search"]


@pytest.mark.parametrize(
    ("service", "needs", "condition"),
    [
        ("elasticsearch", "certificates", "service_completed_successfully"),
        ("setup", "elasticsearch", "service_healthy"),
        ("service", "elasticsearch", "service_healthy"),
        ("service", "setup", "service_completed_successfully"),
        ("alerts", "setup", "service_completed_successfully"),
        ("follow", "setup", "service_completed_successfully"),
    ],
)
def test_services_start_in_order(
    compose: dict[str, list[str]], service: str, needs: str, condition: str
) -> None:
    assert compose[f"services/{service}/depends_on/{needs}/condition"] == [condition]


def test_setup_puts_the_templates(compose: dict[str, list[str]]) -> None:
    assert compose["services/setup/command"] == ['["edgar-ingest", "templates", "put"]']


def test_every_volume_in_use_is_declared(compose: dict[str, list[str]]) -> None:
    used = {
        mount.partition(":")[0]
        for path, mounts in compose.items()
        if path.endswith("/volumes")
        for mount in mounts
    }
    assert used == {
        path.removeprefix("volumes/") for path in compose if path.startswith("volumes/")
    }


def test_example_environment_has_no_password() -> None:
    assert "ELASTIC_PASSWORD=\n" in text(".env.example")


def test_example_environment_names_every_variable_of_the_compose_file() -> None:
    used = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", text("docker-compose.yml")))
    assert set(re.findall(r"^#?([A-Z_]+)=", text(".env.example"), re.MULTILINE)) == used


def test_image_has_a_python_that_the_project_supports(instructions: dict[str, list[str]]) -> None:
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    versions = [re.match(r"python:3\.(\d+)-slim", image) for image in instructions["FROM"]]
    assert len(versions) == 2
    assert all(found and int(found[1]) >= int(least.partition(".")[2]) for found in versions)


def test_image_runs_as_a_user_of_its_own(instructions: dict[str, list[str]]) -> None:
    assert instructions["USER"] == ["edgar-search"]


def test_image_serves_on_all_interfaces(instructions: dict[str, list[str]]) -> None:
    assert instructions["CMD"] == ['["edgar-search", "serve", "--host", "0.0.0.0"]']


def test_image_is_healthy_while_the_process_answers(instructions: dict[str, list[str]]) -> None:
    asked = re.findall(r"'GET', '([^']+)'", instructions["HEALTHCHECK"][0])
    assert asked == ["/health/live"]
    assert asked[0] in {route.path for route in routes}


def copied(instructions: dict[str, list[str]]) -> set[str]:
    """The files that the image's build copies from the checkout."""
    return {
        source
        for copy in instructions["COPY"]
        if not copy.startswith("--from")
        for source in copy.split()[:-1]
    }


def test_image_is_built_from_files_that_exist(instructions: dict[str, list[str]]) -> None:
    sources = copied(instructions)
    assert {source for source in sources if not (CHECKOUT / source).exists()} == set()


def test_docker_is_sent_what_the_image_is_built_from(instructions: dict[str, list[str]]) -> None:
    sent = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    assert sent == copied(instructions)


def test_image_is_built_from_all_that_the_wheel_needs(instructions: dict[str, list[str]]) -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        *(Path(package).parts[0] for package in wheel["packages"]),
        *wheel["force-include"],
        *PROJECT["project"]["license-files"],
        PROJECT["project"]["readme"],
        "pyproject.toml",
    }
    assert needed - copied(instructions) == set()


def test_wheel_has_the_templates_where_they_are_looked_for() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {
        "index_templates": "ingest/index_templates",
        "samples": "edgar_search/samples",
    }
    names = {path.stem for path in (CHECKOUT / "index_templates").iterdir()}
    assert names == {SHARED, *KINDS}


def test_image_has_the_extras_of_a_production_install(instructions: dict[str, list[str]]) -> None:
    pip = [line for line in instructions["RUN"] if "pip" in line]
    assert [re.findall(r"[\w-]*\.?\[\$EXTRAS\]", line) for line in pip] == [
        [".[$EXTRAS]"],
        ["edgar-search[$EXTRAS]"],
    ]
    (documented,) = re.findall(r"\.whl\)\[([\w,-]+)\]", text("docs/operations.md"))
    assert instructions["ARG"] == [f"EXTRAS={documented}", "EXTRAS", "EXTRAS"]


def test_image_has_the_fonts_that_pdfs_need(instructions: dict[str, list[str]]) -> None:
    (package,) = re.findall(r"the package ([\w-]+)", FONTS_REMEDY)
    assert [package in line for line in instructions["RUN"] if "apt-get install" in line] == [True]


def test_development_has_every_extra_but_those_of_comparisons() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    own = [each.partition(";")[0] for each in extras["dev"] if each.startswith("edgar-search[")]
    named = {name for each in own for name in re.findall(r"[\w-]+", each.partition("[")[2])}
    assert named == set(extras) - {"dev", "bench", "peers", "embedded-jdk"}


def test_every_extra_has_its_line_in_the_documentation() -> None:
    lines = re.findall(r"^\| `([\w-]+)` \|.+ MB \|$", text("docs/operations.md"), re.MULTILINE)
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert set(lines) == extras - {"dev", "bench", "peers"}


def test_licence_is_the_whole_apache_licence() -> None:
    licence = text("LICENSE")
    assert "Apache License\n                           Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_notice_has_that_of_the_list_of_words() -> None:
    notice = text("NOTICE")
    list_of_words = "src/edgar_search/text/inflections.txt"
    assert list_of_words in notice and (CHECKOUT / list_of_words).is_file()
    assert "provided that the above copyright notice appears in all copies" in notice
    assert "Copyright (c) J Ross Beresford 1993-1999" in notice
    assert "NOTICE" in PROJECT["project"]["license-files"]
