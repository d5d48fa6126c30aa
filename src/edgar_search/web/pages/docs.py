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
    """An operation of the OpenAPI document, with its path and method."""

    path: str
    method: str
    content: Json

    @property
    def name(self) -> str:
        """The operation's id, which is also its address."""
        return str(self.content["operationId"])

    @property
    def credential(self) -> str:
        """`key`, `token`, or "" if none is needed."""
        return next((name for scheme in self.content["security"] for name in scheme), "")


class Field(NamedTuple):
    """A parameter, or a field of a body or an answer."""

    name: str
    kind: str
    needed: bool
    default: str
    description: str
    example: str
    choices: list[str]


async def docs(request: Request, call: PageCall) -> Response:
    """List all operations, by tag."""
    content = document()
    groups = [
        (tag, [operation for operation in operations() if tag["name"] in operation.content["tags"]])
        for tag in content["tags"]
    ]
    return render("docs.html", info=content["info"], groups=groups, **head(call))


async def operation(request: Request, call: PageCall) -> Response:
    """Show an operation: parameters, a form that calls it, an example, answers and errors."""
    shown_operation = {listed.name: listed for listed in operations()}.get(
        request.path_params["operation"]
    )
    if shown_operation is None:
        raise NotFound("there is no such operation; /docs lists all")
    responses = shown_operation.content["responses"]
    return render(
        "operation.html",
        operation=shown_operation,
        operations=operations(),
        fields=fields(shown_operation),
        in_body="requestBody" in shown_operation.content,
        example=_example(shown_operation, str(request.base_url)[:-1]),
        answer=_answer_example(shown_operation),
        answers=[(status, listed["description"]) for status, listed in responses.items()],
        parts=_parts(shown_operation),
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
    """Return an operation's parameters, or the fields of its body, without the key."""
    body = _body(found)
    if body is None:
        return [_parameter(parameter) for parameter in found.content.get("parameters", ())]
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
        [str(value) for value in schema.get("enum", ()) if value is not None],
    )


def kind_of(schema: Json) -> str:
    """Return the type of a schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_SCHEMA)
    if "prefixItems" in schema:
        return "list of " + ", ".join(map(kind_of, schema["prefixItems"]))
    if "anyOf" in schema:
        return " or ".join(
            alternative.get("format") or kind_of(alternative) for alternative in schema["anyOf"]
        )
    kind = schema.get("type", "anything")
    name = kind[0] if isinstance(kind, list) else kind
    if name == "array":
        return (
            "list"
            if schema["items"].get("type") == "string"
            else f"list of {kind_of(schema['items'])}"
        )
    if name == "string" and "format" in schema:
        return str(schema["format"])
    if name == "integer" and "maximum" in schema:
        return f"integer, {schema['minimum']:,} to {schema['maximum']:,}"
    if "maxLength" in schema:
        return f"{name}, up to {schema['maxLength']:,} characters"
    return str(name)


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
            parameter["name"]: [_text(parameter["example"])]
            for parameter in found.content.get("parameters", ())
            if "example" in parameter
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
    """Return the answer's named types, each with its description and its fields."""
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
        _field(name, property_, name in schema.get("required", ()), "", None)
        for name, property_ in schema.get("properties", {}).items()
    ]


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [str(schema["$ref"]).removeprefix(_SCHEMA)] if "$ref" in schema else []
        return own + [name for part in schema.values() for name in _references(part)]
    if isinstance(schema, list):
        return [name for part in schema for name in _references(part)]
    return []
