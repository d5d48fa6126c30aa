"""The OpenAPI document is valid, whole, equal to its golden file, and true of the answers."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.openapi.document import openapi_document
from edgar_search.web.openapi.routes import document, llms_text
from tests.support.parameter_tables import GOLDEN, golden

OPERATIONS = [(endpoint, method) for endpoint in ENDPOINTS for method in endpoint.methods]
OPERATION_NAMES = [f"{method} {endpoint.path}" for endpoint, method in OPERATIONS]
Json = dict[str, Any]


@pytest.fixture(scope="module")
def whole() -> Json:
    return json.loads(json.dumps(document()))  # type: ignore[no-any-return]


def operation(whole: Json, endpoint: Endpoint, method: str) -> Json:
    found: Json = whole["paths"][endpoint.path][method.lower()]
    return found


def body_schema(found: Json) -> Json:
    schema: Json = found["requestBody"]["content"]["application/json"]["schema"]
    return schema


def validator(whole: Json, schema: Json) -> Draft202012Validator:
    return Draft202012Validator(
        {**schema, "components": whole["components"]},
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )


def test_document_is_valid_openapi(whole: Json) -> None:
    assert list(OpenAPIV31SpecValidator(whole).iter_errors()) == []


def test_document_is_that_of_the_golden_file() -> None:
    assert GOLDEN.read_text() == golden(), "`make tables` writes it"


def test_no_path_is_there_that_is_not_declared(whole: Json) -> None:
    shown = {(path, method.upper()) for path, item in whole["paths"].items() for method in item}
    assert shown == {(endpoint.path, method) for endpoint, method in OPERATIONS}


@pytest.mark.parametrize(("endpoint", "method"), OPERATIONS, ids=OPERATION_NAMES)
def test_every_parameter_is_there(whole: Json, endpoint: Endpoint, method: str) -> None:
    found = operation(whole, endpoint, method)
    if method == "POST":
        names = list(body_schema(found)["properties"]) if endpoint.parameters else []
    else:
        names = [each["name"] for each in found.get("parameters", [])]
        names = [API_KEY.name, *names] if API_KEY in endpoint.parameters else names
    assert names == [parameter.name for parameter in endpoint.parameters]


@pytest.mark.parametrize(("endpoint", "method"), OPERATIONS, ids=OPERATION_NAMES)
def test_every_answer_is_described(whole: Json, endpoint: Endpoint, method: str) -> None:
    responses = operation(whole, endpoint, method)["responses"]
    assert {str(status) for status in endpoint.statuses} <= set(responses)
    content = responses[str(endpoint.statuses[0])].get("content", {})
    # A new endpoint names the type of its answer in its declaration, or its media types.
    assert content != {}


@pytest.mark.parametrize(("endpoint", "method"), OPERATIONS, ids=OPERATION_NAMES)
def test_examples_are_of_their_schemas(whole: Json, endpoint: Endpoint, method: str) -> None:
    found = operation(whole, endpoint, method)
    body = found.get("requestBody", {}).get("content", {}).get("application/json", {})
    answer = found["responses"][str(endpoint.statuses[0])]["content"].get("application/json", {})
    examples = [shown for shown in (body, answer) if "example" in shown]
    checked = [
        list(validator(whole, shown["schema"]).iter_errors(shown["example"])) for shown in examples
    ]
    assert checked == [[] for _ in examples]


def test_operation_ids_are_unique(whole: Json) -> None:
    ids = [each["operationId"] for item in whole["paths"].values() for each in item.values()]
    assert len(ids) == len(set(ids)) == len(OPERATIONS)


@pytest.mark.parametrize(
    ("credential", "security"),
    [("key", [{"key": []}, {"keyInQuery": []}]), ("token", [{"token": []}]), ("none", [])],
)
def test_security_is_the_credential(credential: Any, security: Any) -> None:
    endpoint = Endpoint("/v1/new", "is new", credential=credential)
    assert openapi_document([endpoint], {})["paths"]["/v1/new"]["get"]["security"] == security


@pytest.mark.parametrize(
    ("path", "status", "schema"),
    [
        ("/v1/search", "401", "ErrorWithStatus"),
        ("/v1/search", "429", "Error"),
        ("/v1/coverage", "429", "ErrorWithWait"),
        ("/v2/document", "401", "Error"),
        ("/v2/document", "404", "Error"),
        ("/auth/favorites/get", "401", "ErrorWithStatus"),
    ],
)
def test_errors_have_the_form_of_their_area(
    whole: Json, path: str, status: str, schema: str
) -> None:
    response = whole["paths"][path]["get"]["responses"][status]
    reference = {"$ref": f"#/components/schemas/{schema}"}
    assert response["content"]["application/json"]["schema"] == reference


def test_parameter_without_a_bound_has_none_in_its_schema() -> None:
    parameter = Parameter("offset", "integer", "items to skip", least=0, default=0)
    endpoint = Endpoint("/v1/new", "is new", (parameter,))
    (shown,) = openapi_document([endpoint], {})["paths"]["/v1/new"]["get"]["parameters"]
    assert shown["schema"] == {"type": "integer", "minimum": 0, "default": 0}


IDENTIFIERS = ("CIK", "document id", "accession number,", "SHA-256", "codes of up to 4 digits")


@pytest.mark.parametrize(("endpoint", "method"), OPERATIONS, ids=OPERATION_NAMES)
def test_every_identifier_has_a_pattern(endpoint: Endpoint, method: str) -> None:
    identifiers = [p for p in endpoint.parameters if any(word in p.of for word in IDENTIFIERS)]
    assert [p.name for p in identifiers if not p.pattern] == []


@pytest.mark.parametrize(
    ("path", "name", "right", "wrong"),
    [
        ("/v1/text", "document_id", "0000320193-24-000001-1", "0000320193-24-000001-1x"),
        ("/v1/text", "text_sha256", "0a" * 32, "0a" * 31),
        ("/v1/search", "ids", ["0000320193-24-000001-1"], ["0000320193-24-000001"]),
        ("/v1/search", "cik", ["320193", "0000320193"], ["00000320193"]),
        ("/v1/lookup", "cik", ["0000320193"], ["320193"]),
        ("/v1/export", "sic", ["100", "3571"], ["35711"]),
        ("/v2/filing_info", "accession_number", "000032019324000001", "0000320193-24-1"),
    ],
)
def test_pattern_is_that_of_the_whole_value(
    whole: Json, path: str, name: str, right: Any, wrong: Any
) -> None:
    parameters = whole["paths"][path]["get"]["parameters"]
    (schema,) = (parameter["schema"] for parameter in parameters if parameter["name"] == name)
    assert validator(whole, schema).is_valid(right)
    assert not validator(whole, schema).is_valid(wrong)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/v1/lookup", "At least one of `cik`, `ticker`, `sic`, `form_type`, `form_family`,"),
        ("/v1/lookup", "`snapshot=true` needs `cursor=*`."),
        ("/v1/search", "`snapshot=true` needs `cursor=*`."),
        ("/v1/coverage", "`from_date` to `to_date` are at most 366 days, both counted"),
    ],
)
def test_rules_between_parameters_are_in_the_description(whole: Json, path: str, rule: str) -> None:
    assert rule in whole["paths"][path]["get"]["description"]


@pytest.mark.parametrize(("endpoint", "method"), OPERATIONS, ids=OPERATION_NAMES)
def test_page_for_language_models_has_every_endpoint(endpoint: Endpoint, method: str) -> None:
    text = llms_text(ENDPOINTS)
    _, _, rest = text.partition(f"### {', '.join(endpoint.methods)} {endpoint.path}\n")
    entry, _, _ = rest.partition("\n### ")
    assert [
        p.name for p in endpoint.parameters if p != API_KEY and f"- `{p.name}` (" not in entry
    ] == []
    assert rest != ""
