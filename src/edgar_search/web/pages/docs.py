"""GET /docs: the reference, rendered from the OpenAPI document."""

import json
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import NotFound
from edgar_search.web.openapi.routes import document
from edgar_search.web.pages.browser import PageCall
from edgar_search.web.pages.links import address
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render

DOCS = "/docs"
OPERATION = "/docs/{operation}"
_SCHEMA = "#/components/schemas/"

Json = dict[str, Any]


class Operation(NamedTuple):
    """An operation of the document, with its path and method."""

    path: str
    method: str
    content: Json

    @property
    def name(self) -> str:
        """The operation's id, which is its address too."""
        return str(self.content["operationId"])

    @property
    def credential(self) -> str:
        """`key`, `token`, or "" if none is needed."""
        return next((name for each in self.content["security"] for name in each), "")


class Field(NamedTuple):
    """A parameter or a field of a body, or of an answer."""

    name: str
    kind: str
    needed: bool
    default: str
    description: str
    example: str
    choices: list[str]


async def docs(request: Request, call: PageCall) -> Response:
    """Return all operations, by tag."""
    whole = document()
    groups = [
        (tag, [each for each in operations() if tag["name"] in each.content["tags"]])
        for tag in whole["tags"]
    ]
    return render("docs.html", info=whole["info"], groups=groups, **head(call))


async def operation(request: Request, call: PageCall) -> Response:
    """One operation: parameters, a form that calls it, an example, answers and errors."""
    found = {each.name: each for each in operations()}.get(request.path_params["operation"])
    if found is None:
        raise NotFound("there is no such operation; /docs lists all")
    responses = found.content["responses"]
    return render(
        "operation.html",
        operation=found,
        operations=operations(),
        fields=fields(found),
        in_body="requestBody" in found.content,
        example=_example(found, str(request.base_url)[:-1]),
        answer=_answer_example(found),
        answers=[(status, each["description"]) for status, each in responses.items()],
        parts=_parts(found),
        **head(call),
    )


def operations() -> list[Operation]:
    """Return all operations in the order of the document."""
    return [
        Operation(path, method.upper(), content)
        for path, item in document()["paths"].items()
        for method, content in item.items()
    ]


def fields(found: Operation) -> list[Field]:
    """Return the parameters of an operation, or the fields of its body, without the key."""
    body = _body(found)
    if body is None:
        return [_parameter(each) for each in found.content.get("parameters", ())]
    example, needed = body.get("example", {}), body["schema"].get("required", ())
    return [
        _field(name, schema, name in needed, schema["description"], example.get(name))
        for name, schema in body["schema"]["properties"].items()
        if name != "api_key"
    ]


def _parameter(found: Json) -> Field:
    schema = found.get("schema") or found["content"]["application/json"]["schema"]
    needed = bool(found.get("required"))
    return _field(found["name"], schema, needed, found["description"], found.get("example"))


def _field(name: str, schema: Json, needed: bool, description: str, example: Any) -> Field:
    default = schema.get("default")
    return Field(
        name,
        kind_of(schema),
        needed,
        "" if default is None else str(default).lower() if schema else str(default),
        description,
        "" if example is None else example if isinstance(example, str) else json.dumps(example),
        [str(each) for each in schema.get("enum", ()) if each is not None],
    )


def kind_of(schema: Json) -> str:
    """Return the type of a schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_SCHEMA)
    if "prefixItems" in schema:
        return "list of " + ", ".join(map(kind_of, schema["prefixItems"]))
    if "anyOf" in schema:
        return " or ".join(each.get("format") or kind_of(each) for each in schema["anyOf"])
    kind = schema.get("type", "anything")
    found = kind[0] if isinstance(kind, list) else kind
    if found == "array":
        return (
            "list"
            if schema["items"].get("type") == "string"
            else f"list of {kind_of(schema['items'])}"
        )
    if found == "string" and "format" in schema:
        return str(schema["format"])
    if found == "integer" and "maximum" in schema:
        return f"integer, {schema['minimum']:,} to {schema['maximum']:,}"
    if "maxLength" in schema:
        return f"{found}, up to {schema['maxLength']:,} characters"
    return str(found)


def _body(found: Operation) -> Json | None:
    body: Json | None = found.content.get("requestBody")
    return None if body is None else dict(body["content"]["application/json"])


def _example(found: Operation, base: str) -> str:
    """Return a shell command with the example's values."""
    head = {
        "key": '-H "X-API-Key: $EDGAR_SEARCH_KEY" ',
        "token": '-H "Authorization: Bearer $TOKEN" ',
    }.get(found.credential, "")
    body = _body(found)
    if body is None:
        values = {
            each["name"]: [_text(each["example"])]
            for each in found.content.get("parameters", ())
            if "example" in each
        }
        method = "" if found.method == "GET" else f"-X {found.method} "
        return f"curl {method}{head}'{base}{address(found.path, values)}'".replace("%27", "%2527")
    data = json.dumps(body.get("example", {}), ensure_ascii=False).replace("'", "\\u0027")
    sent = f"-H 'Content-Type: application/json' -d '{data}' "
    return f"curl {head}{sent}'{base}{found.path}'"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _answer_example(found: Operation) -> str:
    for response in found.content["responses"].values():
        example = response.get("content", {}).get("application/json", {}).get("example")
        if example is not None:
            return json.dumps(example, indent=2, ensure_ascii=False)
    return ""


def _parts(found: Operation) -> list[tuple[str, str, list[Field]]]:
    """Return the named types of the answer, each with its description and its fields."""
    schemas = document()["components"]["schemas"]
    success = next(iter(found.content["responses"].values()))
    waiting = [success.get("content", {}).get("application/json", {}).get("schema", {})]
    names: dict[str, None] = {}
    while waiting:
        for name in _references(waiting.pop(0)):
            if name not in names:
                names[name] = None
                waiting.append(schemas[name])
    return [
        (name, schemas[name].get("description", ""), _properties(schemas[name])) for name in names
    ]


def _properties(schema: Json) -> list[Field]:
    return [
        _field(name, each, name in schema.get("required", ()), "", None)
        for name, each in schema.get("properties", {}).items()
    ]


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [str(schema["$ref"]).removeprefix(_SCHEMA)] if "$ref" in schema else []
        return own + [name for each in schema.values() for name in _references(each)]
    if isinstance(schema, list):
        return [name for each in schema for name in _references(each)]
    return []
