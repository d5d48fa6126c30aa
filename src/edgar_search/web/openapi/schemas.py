"""Declared parameters and types of answers as schemas of OpenAPI; pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter

Json = dict[str, Any]

_REFERENCE = "#/components/schemas/"


def area_of(endpoint: Endpoint) -> str:
    """Return the area of an endpoint: the first part of its path."""
    return endpoint.path.split("/")[1] if endpoint.path.count("/") > 1 else "reference"


def answer_schemas(endpoints: Sequence[Endpoint]) -> tuple[dict[str, Json], Json]:
    """Return the schema of each path's answer, and the components it refers to.

    A component is named by its area and its type, because two API versions may share a type's name.
    """
    by_area: dict[str, dict[str, Any]] = defaultdict(dict)
    for endpoint in endpoints:
        if endpoint.answer is not None:
            by_area[area_of(endpoint)][endpoint.path] = endpoint.answer
    schemas: dict[str, Json] = {}
    components: Json = {}
    for area, answers in by_area.items():
        template = f"{_REFERENCE}{area}.{{name}}"
        by_type, by_name = msgspec.json.schema_components(answers.values(), ref_template=template)
        schemas |= dict(zip(answers, by_type, strict=True))
        for name, schema in by_name.items():
            # Generators name a class by its title before its component, and titles are not unique.
            del schema["title"]
            components[f"{area}.{name}"] = _portable(schema)
    return schemas, components


def _portable(schema: Any) -> Any:
    """Rewrite one of msgspec's schemas for client generators.

    Decimals are numbers, where msgspec describes text. A tuple gets a schema for further items,
    which its length rules out, because generators refuse `false` there.
    """
    if isinstance(schema, list):
        return [_portable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "decimal":
        return {"type": "number"}
    portable = {name: _portable(value) for name, value in schema.items()}
    if portable.get("items") is False and (items := portable["prefixItems"]):
        kinds = [item for number, item in enumerate(items) if item not in items[:number]]
        portable["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return portable


# Types that null clears or leaves out in a body below `/auth/`; Version 2 accepts it for all.
_NULLABLE = ("text", "lines", "list", "moment", "object")
# Descriptions link to other pages of the documentation, which are not served.
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_DAY: Json = {"type": "string", "format": "date"}
_MOMENT: Json = {"type": "string", "format": "date-time"}


def query_parameters(endpoint: Endpoint) -> list[Json]:
    """Return an endpoint's query parameters, without the key, which is a security scheme."""
    return [_in_query(parameter) for parameter in endpoint.parameters if parameter != API_KEY]


def request_body(endpoint: Endpoint, example: Any = None) -> Json:
    """Return the JSON body with an endpoint's parameters."""
    schema = _object(endpoint.parameters, every_null=endpoint.where == "both")
    content: Json = {"schema": schema}
    if example is not None:
        content["example"] = example
    # A change without fields needs no body.
    needed = any(parameter.required for parameter in endpoint.parameters)
    return {"required": needed, "content": {"application/json": content}}


def plain(markdown: str) -> str:
    """Return a description without links into the documentation."""
    return _LINK.sub(r"\1", markdown)


def _in_query(parameter: Parameter) -> Json:
    entry: Json = {"name": parameter.name, "in": "query", "description": _description(parameter)}
    if parameter.required:
        entry["required"] = True
    if parameter.spellings:
        entry["x-spellings"] = list(parameter.spellings)
    if parameter.kind == "list":
        entry |= {"style": "form", "explode": False}
    if parameter.kind == "object":
        return entry | {"content": {"application/json": {"schema": _schema(parameter)}}}
    return entry | {"schema": _schema(parameter)}


def _description(parameter: Parameter) -> str:
    text = plain(parameter.description)
    if parameter.of and parameter.kind != "object":
        text += f" ({parameter.of})"
    if parameter.spellings:
        text += "; also spelled " + ", ".join(f"`{name}`" for name in parameter.spellings)
    return text


def _object(parameters: Iterable[Parameter], *, every_null: bool) -> Json:
    properties = {}
    for parameter in parameters:
        schema = _schema(parameter)
        if parameter.joined:
            schema["type"] = [schema["type"], "string"]
        if not parameter.required and (every_null or parameter.kind in _NULLABLE):
            schema = _or_null(schema)
        properties[parameter.name] = {**schema, "description": _description(parameter)}
    body: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [parameter.name for parameter in parameters if parameter.required]:
        body["required"] = required
    return body


def _or_null(schema: Json) -> Json:
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*types, "null"]}


def _schema(parameter: Parameter) -> Json:
    """Return the schema of a parameter's value in JSON."""
    schema = _kind(parameter)
    if parameter.default is not None:
        schema["default"] = parameter.default
    return schema


def _kind(parameter: Parameter) -> Json:
    match parameter.kind:
        case "text" | "lines":
            return _text(parameter)
        case "integer":
            bounds = {"minimum": parameter.least, "maximum": parameter.most}
            return {"type": "integer", **_those_given(bounds)}
        case "flag":
            return {"type": "boolean"}
        case "choice":
            return {"type": "string", "enum": list(parameter.choices)}
        case "list":
            item = _those_given({"enum": list(parameter.choices)}) | _text(parameter)
            return {"type": "array", "items": item, **_those_given({"maxItems": parameter.most})}
        case "object":
            return _object(parameter.fields, every_null=True)
        case "date":
            return {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}
        case "day":
            return dict(_DAY)
        case "moment":
            return dict(_MOMENT)


def _text(parameter: Parameter) -> Json:
    pattern = f"^(?:{parameter.pattern})$" if parameter.pattern else None
    return {
        "type": "string",
        **_those_given({"maxLength": parameter.longest, "pattern": pattern}),
    }


def _those_given(keywords: Json) -> Json:
    return {name: value for name, value in keywords.items() if value not in (None, [])}
