"""Shipped files: those of Docker, which tests/containers/ runs, and those that the wheel needs."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from edgar_search.document.pdf import FONTS_REMEDY
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.templates import SHARED
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web.operations import routes
from tests.support.engines import CHECKOUT, IMAGE

SECOND = sorted(
    str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "deploy" / "compose").glob("*.yml")
)
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())


def text(name: str) -> str:
    return (CHECKOUT / name).read_text()


COMPOSE: dict[str, Any] = yaml.safe_load(text("docker-compose.yml"))
SERVICES = COMPOSE["services"]
OURS = ("setup", "service", "alerts", "follow")


@pytest.fixture(scope="module")
def instructions() -> dict[str, list[str]]:
    """The Dockerfile's instructions, with continued lines joined."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", "", text("Dockerfile")).splitlines():
        name, _, rest = line.partition(" ")
        found.setdefault(name, []).append(rest)
    return found


def second(name: str) -> dict[str, Any]:
    """Return a file of deploy/compose/."""
    found: dict[str, Any] = yaml.safe_load(text(f"deploy/compose/{name}.yml"))
    return found


@pytest.mark.parametrize("service", ["prepare", "elasticsearch"])
def test_compose_has_the_image_that_tests_use(service: str) -> None:
    assert SERVICES[service]["image"] == IMAGE


@pytest.mark.parametrize("part", ["", "http.ssl.", "transport.ssl."])
def test_elasticsearch_has_security_and_tls_on(part: str) -> None:
    for node in (SERVICES["elasticsearch"], second("three-nodes")["services"]["elasticsearch2"]):
        assert node["environment"][f"xpack.security.{part}enabled"] == "true"


def test_only_the_service_has_a_published_port_and_that_is_on_loopback() -> None:
    published = {name: each["ports"] for name, each in SERVICES.items() if "ports" in each}
    assert published == {"service": ["${SERVICE_ADDRESS:-127.0.0.1:8000}:8000"]}


def test_nothing_has_to_be_set() -> None:
    # Compose refuses to start without a variable that has `?`.
    assert re.findall(r"\$\{\w+(?!\w|:-|:\+)[^}]*\}", text("docker-compose.yml")) == []
    assert set(re.findall(r"^(\w+)=", text(".env.example"), re.MULTILINE)) == set()


def test_example_environment_has_the_defaults_of_the_compose_file() -> None:
    used = dict(re.findall(r"\$\{([A-Z_]+):-([^}]*)\}", text("docker-compose.yml")))
    shown = dict(re.findall(r"^#([A-Z_]+)=(.*)$", text(".env.example"), re.MULTILINE))
    assert shown.keys() == used.keys() | {"COMPOSE_FILE"}
    differ = {name for name, value in used.items() if shown[name] != value}
    assert differ <= {"CONTACT", "PAGES"}


def test_password_is_in_a_file_only() -> None:
    for service in OURS:
        environment = SERVICES[service]["environment"]
        assert environment["EDGAR_SEARCH_ES_PASSWORD_FILE"] == "/certificates/password"
        assert "EDGAR_SEARCH_ES_PASSWORD" not in environment
    assert "ELASTIC_PASSWORD" not in SERVICES["elasticsearch"]["environment"]


@pytest.mark.parametrize("name", ["docker-compose.yml", "deploy/compose/elsewhere.yml"])
def test_service_and_alerts_can_send_mail(name: str) -> None:
    made = yaml.safe_load(text(name))["services"]
    for service in ("service", "alerts"):
        environment = made[service]["environment"]
        wanted = {each for each in Settings.__struct_fields__ if each.startswith("smtp_")}
        wanted = wanted - {"smtp_password", "smtp_ca"} | {"secrets_key", "service_url", "mail_from"}
        assert {f"{VARIABLE_PREFIX}{each.upper()}" for each in wanted} <= environment.keys()
        assert environment["EDGAR_SEARCH_SMTP_PASSWORD_FILE"] == "${SMTP_USER:+/run/smtp-password}"
        mounted = "${SMTP_PASSWORD_FILE:-/dev/null}:/run/smtp-password:ro"
        assert mounted in made[service]["volumes"]


def test_service_reaches_elasticsearch_by_tls_with_its_authority() -> None:
    environment = SERVICES["service"]["environment"]
    assert environment["EDGAR_SEARCH_ES_URL"] == "https://elasticsearch:9200"
    assert environment["EDGAR_SEARCH_ES_CA"] == "/certificates/ca/ca.crt"
    assert "certificates:/certificates:ro" in SERVICES["service"]["volumes"]


@pytest.mark.parametrize("name", ["docker-compose.yml", *SECOND])
def test_compose_passes_settings_that_exist(name: str) -> None:
    named = set(re.findall(rf"{VARIABLE_PREFIX}(\w+):", text(name)))
    assert {each.lower() for each in named} - {*Settings.__struct_fields__} == set()


@pytest.mark.parametrize(
    ("service", "needs", "condition"),
    [
        ("elasticsearch", "prepare", "service_completed_successfully"),
        ("setup", "elasticsearch", "service_healthy"),
        ("service", "elasticsearch", "service_healthy"),
        ("service", "setup", "service_completed_successfully"),
        ("alerts", "setup", "service_completed_successfully"),
        ("follow", "setup", "service_completed_successfully"),
    ],
)
def test_services_start_in_order(service: str, needs: str, condition: str) -> None:
    assert SERVICES[service]["depends_on"][needs]["condition"] == condition


def test_setup_puts_the_templates_and_loads_the_samples() -> None:
    *_, script = SERVICES["setup"]["command"]
    assert "edgar-ingest templates put" in script and "edgar-search samples load" in script


@pytest.mark.parametrize("service", OURS)
def test_containers_of_ours_write_to_volumes_only_and_have_no_rights(service: str) -> None:
    made = SERVICES[service]
    assert made["read_only"] is True and made["tmpfs"] == ["/tmp"]
    assert made["cap_drop"] == ["ALL"]
    assert made["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("service", OURS)
def test_an_elasticsearch_elsewhere_gets_the_same_containers(service: str) -> None:
    own = {"depends_on", "environment", "volumes", "command"}
    here, there = SERVICES[service], second("elsewhere")["services"][service]
    assert {**here, **dict.fromkeys(own)} == {**there, "depends_on": None, **dict.fromkeys(own)}
    if service != "setup":
        assert here["command"] == there["command"]


def test_nodes_beside_the_first_have_its_settings() -> None:
    first = SERVICES["elasticsearch"]
    alone = {"discovery.type", "node.name"}
    for name in ("elasticsearch2", "elasticsearch3"):
        node = second("three-nodes")["services"][name]
        of_several = {"discovery.seed_hosts": "elasticsearch,elasticsearch2,elasticsearch3"}
        shared = {k: v for k, v in first["environment"].items() if k not in alone}
        assert node["environment"] == {**shared, **of_several, "node.name": name}
        for key in ("image", "healthcheck", "mem_limit", "cap_drop", "logging", "restart"):
            assert node[key] == first[key]


@pytest.mark.parametrize("name", ["docker-compose.yml", *SECOND])
def test_every_volume_in_use_is_declared(name: str) -> None:
    made = yaml.safe_load(text(name))
    used = {
        mount.partition(":")[0]
        for service in made["services"].values()
        for mount in service.get("volumes", [])
    }
    named = {each for each in used if re.fullmatch(r"[a-z][\w-]*", each)}
    declared = set(made.get("volumes") or {}) | set(COMPOSE["volumes"])
    assert named <= declared and set(made.get("volumes") or {}) <= named


def test_script_that_prepares_is_one() -> None:
    script = CHECKOUT / "deploy" / "compose" / "prepare.sh"
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0


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
    """Return the files that the image's build copies from the checkout."""
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
    assert [re.findall(r"\S*\[\$EXTRAS\]", line) for line in pip] == [['".[$EXTRAS]']]
    (documented,) = re.findall(r"\.whl\)\[([\w,-]+)\]", text("docs/operations.md"))
    assert instructions["ARG"] == [f"EXTRAS={documented}", "EXTRAS"]


def test_image_has_the_fonts_that_pdfs_need(instructions: dict[str, list[str]]) -> None:
    (package,) = re.findall(r"the package ([\w-]+)", FONTS_REMEDY)
    assert [line for line in instructions["RUN"] if "apt-get install" in line and package in line]


def test_development_has_every_extra_but_those_of_comparisons() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    own = [extra.partition(";")[0] for extra in extras["dev"] if extra.startswith("edgar-search[")]
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
