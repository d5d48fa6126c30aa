"""The manifests of deploy/kubernetes/, as they are written and as Kustomize puts them together."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

import edgar_search.cli
import ingest.cli
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web.operations import routes
from edgar_search.web.server import GRACE_SECONDS
from tests.support.engines import CHECKOUT
from tests.unit.project.test_packaging import PROJECT

FOLDER = CHECKOUT / "deploy" / "kubernetes"
VERSION = "1.33"
# What the project's own image runs in; ECK's Elasticsearch is a kind that its operator knows.
WORKLOADS = ("Job", "CronJob", "Deployment", "StatefulSet")
OURS = ("setup", "service", "alerts", "follow", "reconcile", "backup")


def documents(text: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(text))


def base() -> list[dict[str, Any]]:
    """Return all resources of the base, as they are written."""
    names = documents((FOLDER / "base" / "kustomization.yaml").read_text())[0]["resources"]
    return [
        document for name in names for document in documents((FOLDER / "base" / name).read_text())
    ]


def built(overlay: str) -> list[dict[str, Any]]:
    """Return all resources of an overlay, as `kubectl apply` sends them."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is missing: only the files of the base were looked at")
    command = ["kubectl", "kustomize", str(FOLDER / overlay)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return documents(done.stdout)


def pod(resource: dict[str, Any]) -> dict[str, Any]:
    """Return the pod of a workload."""
    spec = resource["spec"]
    found: dict[str, Any] = spec.get("jobTemplate", {"spec": spec})["spec"]["template"]
    return found


def find(resources: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (
        resource
        for resource in resources
        if resource["kind"] == kind and resource["metadata"]["name"] == name
    )
    return found


def test_every_file_is_used() -> None:
    (made,) = documents((FOLDER / "base" / "kustomization.yaml").read_text())
    used = {*made["resources"], *(each["path"] for each in made["patches"])}
    assert used | {"kustomization.yaml"} == {path.name for path in (FOLDER / "base").iterdir()}


@pytest.mark.parametrize("overlay", ["eck", "outside"])
def test_manifests_are_valid(overlay: str) -> None:
    for resource in built(overlay):
        if "elastic.co" not in resource["apiVersion"]:
            kubernetes_validate.validate(resource, VERSION, strict=True)


def test_manifest_with_a_misspelt_field_is_not_valid() -> None:
    service = find(base(), "Deployment", "service")
    service["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service, VERSION, strict=True)


def test_pods_run_commands_that_there_are() -> None:
    parsers = {"edgar-search": edgar_search.cli.make_parser, "edgar-ingest": ingest.cli.make_parser}
    found = [each for each in base() if each["kind"] in WORKLOADS]
    assert [each["metadata"]["name"] for each in found] == [*OURS]
    for each in found:
        (container,) = pod(each)["spec"]["containers"]
        program, *arguments = container["command"]
        parsers[program](arguments[0]).parse_args(arguments)


def test_settings_exist() -> None:
    for path in FOLDER.glob("*/kustomization.yaml"):
        (made,) = documents(path.read_text())
        names = [each.partition("=")[0] for each in made["configMapGenerator"][0]["literals"]]
        lower = {name.removeprefix(VARIABLE_PREFIX).lower() for name in names}
        assert lower - {*Settings.__struct_fields__} == set()


def test_service_and_alerts_alone_get_the_settings_of_deliveries() -> None:
    (made,) = documents((FOLDER / "base" / "kustomization.yaml").read_text())
    (patch,) = (each for each in made["patches"] if each["path"] == "deliveries.yaml")
    assert patch["target"] == {"kind": "Deployment", "name": "service|alerts"}
    (added,) = yaml.safe_load((FOLDER / "base" / "deliveries.yaml").read_text())
    assert added["value"] == {"secretRef": {"name": "deliveries", "optional": True}}
    for each in (resource for resource in built("outside") if resource["kind"] in WORKLOADS):
        sources = pod(each)["spec"]["containers"][0]["envFrom"]
        named = [source["secretRef"]["name"] for source in sources if "secretRef" in source]
        assert ("deliveries" in named) == (each["metadata"]["name"] in ("service", "alerts"))


def test_settings_can_be_used(tmp_path: Path) -> None:
    settings = find_settings(built("outside"))
    (tmp_path / "password").write_text("secret")
    settings["EDGAR_SEARCH_ES_PASSWORD_FILE"] = str(tmp_path / "password")
    assert Settings.from_environ(settings).es_password == "secret"


def find_settings(resources: list[dict[str, Any]]) -> dict[str, str]:
    (found,) = (resource["data"] for resource in resources if resource["kind"] == "ConfigMap")
    return dict(found)


def test_probes_ask_paths_that_there_are() -> None:
    (container,) = pod(find(base(), "Deployment", "service"))["spec"]["containers"]
    asked = {
        name: container[name]["httpGet"]["path"]
        for name in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert asked == {
        "startupProbe": "/health/live",
        "livenessProbe": "/health/live",
        "readinessProbe": "/health/ready",
    }
    assert set(asked.values()) <= {route.path for route in routes}


def test_pod_that_stops_is_sent_nothing_before_it_ends() -> None:
    drain = float(find_settings(built("outside"))["EDGAR_SEARCH_DRAIN"])
    spec = pod(find(base(), "Deployment", "service"))["spec"]
    probe = spec["containers"][0]["readinessProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] < drain
    assert spec["terminationGracePeriodSeconds"] > drain + GRACE_SECONDS


@pytest.mark.parametrize("overlay", ["eck", "outside"])
def test_pods_have_few_rights_and_the_image_of_this_version(overlay: str) -> None:
    resources = [each for each in built(overlay) if each["kind"] in WORKLOADS]
    assert len(resources) == len(OURS)
    for resource in resources:
        spec = pod(resource)["spec"]
        (container,) = spec["containers"]
        assert container["image"] == f"edgar-search:{PROJECT['project']['version']}"
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }


def test_policies_and_services_choose_pods_that_there_are() -> None:
    resources = built("eck")
    labels = [
        pod(resource)["metadata"]["labels"]
        for resource in resources
        if resource["kind"] in WORKLOADS
    ]
    # The operator gives its own pods this label.
    labels.append({"elasticsearch.k8s.elastic.co/cluster-name": "edgar-search"})
    for resource in resources:
        if resource["kind"] in ("NetworkPolicy", "PodDisruptionBudget"):
            spec = resource["spec"]
            chosen = spec.get("podSelector", spec.get("selector")).get("matchLabels", {})
        elif resource["kind"] == "Service":
            chosen = resource["spec"]["selector"]
        else:
            continue
        assert any(chosen.items() <= own.items() for own in labels), resource["metadata"]["name"]


def test_operator_gives_password_and_authority() -> None:
    for each in built("eck"):
        if each["kind"] in WORKLOADS:
            volumes = {volume["name"]: volume for volume in pod(each)["spec"]["volumes"]}
            sources = volumes["elasticsearch"]["projected"]["sources"]
            assert [source["secret"]["name"] for source in sources] == [
                "edgar-search-es-elastic-user",
                "edgar-search-es-http-certs-public",
            ]
