"""The OpenAPI document of everything that is declared."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from msgspec import json

from edgar_search.api.media_types import JSON_LINES
from edgar_search.api.parameters.declaration import Credential, Endpoint
from edgar_search.web.middleware import MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_URI_BYTES
from edgar_search.web.openapi.schemas import (
    answer_schemas,
    area_of,
    plain,
    query_parameters,
    request_body,
)
from edgar_search.web.responses import error_response

Json = dict[str, Any]

_ERROR_MEANINGS = {
    400: "A parameter is wrong; the text names it and says what would be right.",
    401: "No credential, or not a valid one.",
    403: "The credential is valid, but has no access to this.",
    404: "The thing that the request names does not exist.",
    410: "The thing that the request names was here, but is gone or has changed.",
    413: "The body is too long.",
    429: "The account has no call left for now.",
    503: "Elasticsearch is away or overloaded, or there are too many requests at once;"
    " try again later.",
}
_OTHER = "Any other error has this form too."
# Parameters that name an item; the answer is a 404 if it does not exist.
_NAMES = ("id", "document_id", "accession_number")
# Parameters that name a version of an item; the answer is a 410 if it has changed.
_VERSIONS = ("text_sha256", "cursor")
_FIELDS: Json = {
    "error": {"type": "string", "description": "the error, in words"},
    "status": {"type": "integer", "description": "the status of the answer"},
    "retry_after": {"type": "integer", "description": "the seconds to wait before the next try"},
}
SCHEMAS: Json = {
    "Error": ("error",),
    "ErrorWithStatus": ("error", "status"),
    "ErrorWithWait": ("error", "status", "retry_after"),
}


def error_schemas() -> Json:
    """Return the schemas of errors, by name."""
    return {
        name: {
            "type": "object",
            "properties": {field: _FIELDS[field] for field in fields},
            "required": list(fields),
        }
        for name, fields in SCHEMAS.items()
    }


def error_responses(endpoint: Endpoint) -> Json:
    """Return an endpoint's refusals by status."""
    responses = {str(status): _response(endpoint, status) for status in _statuses(endpoint)}
    return {**responses, "default": {**_content("Error"), "description": _OTHER}}


def _statuses(endpoint: Endpoint) -> list[int]:
    statuses = [400] if endpoint.parameters else []
    if endpoint.credential != "none":
        statuses = [400, 401, 429]
    if endpoint.credential == "key":
        statuses.append(403)
    if any(parameter.name in _NAMES for parameter in endpoint.parameters):
        statuses.append(404)
    if any(parameter.name in _VERSIONS for parameter in endpoint.parameters):
        statuses.append(410)
    if endpoint.where != "query":
        statuses.append(413)
    if endpoint.credential != "none" or "health" in endpoint.path:
        statuses.append(503)
    return sorted(statuses)


def _response(endpoint: Endpoint, status: int) -> Json:
    headers: Json = {"X-Request-Id": _header("X-Request-Id")}
    if status in (429, 503):
        headers["Retry-After"] = _header("Retry-After")
    if status == 401 and endpoint.credential == "token":
        headers["WWW-Authenticate"] = _header("WWW-Authenticate")
    content = _content(_form(endpoint.path, status))
    return {"description": _ERROR_MEANINGS[status], "headers": headers, **content}


def _form(path: str, status: int) -> str:
    """Return the name of an error's schema, found by making such an error as the service does."""
    error = msgspec.json.decode(error_response(path, status, "", {"Retry-After": "1"}).body)
    return next(name for name, fields in SCHEMAS.items() if fields == tuple(error))


def _content(name: str) -> Json:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"content": {"application/json": {"schema": schema}}}


def _header(name: str) -> Json:
    return {"$ref": f"#/components/headers/{name}"}


# Requests and their answers, by method and path.
Examples = Mapping[str, Mapping[str, Any]]

_DESCRIPTION = f"""\
Lookups and full-text search over filings of the SEC's EDGAR system.

Data endpoints need an API key, those below `/auth/` a bearer token. HEAD answers like GET, without
a body. Lists in a query string are comma-separated or repeated; an empty value equals an absent
one; an unknown parameter is a 400. Version 2 takes its parameters in a query string, or in a JSON
body by GET and POST. Every error is an object with `error`. Bounds: {MAX_URI_BYTES:,} bytes of path
and query, {MAX_HEADER_BYTES:,} of headers, {MAX_BODY_BYTES:,} of body. Limits of the account's plan
are in the headers `RateLimit` and `RateLimit-Policy`.
"""
_TAGS = {
    "v1": "Version 1: lookups and searches",
    "v2": "Version 2: the API of the official client `secblast`",
    "auth": "Users' own data",
    "health": "State of the service",
    "reference": "This reference",
}
_SECURITY: dict[Credential, list[Json]] = {
    "key": [{"key": []}, {"keyInQuery": []}],
    "token": [{"token": []}],
    "none": [],
}
_SCHEMES: Json = {
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "keyInQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "api_key",
        "description": "The header is better: URLs end up in logs.",
    },
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An ID token of the OpenID Connect issuer that the operator configured.",
    },
}
_HEADERS: dict[str, tuple[str, str]] = {
    "X-Request-Id": ("string", "the id under which the request is in the log"),
    "RateLimit": ("string", "the rest of the plan's limits, as in draft ratelimit-headers-10"),
    "RateLimit-Policy": ("string", "the plan's limits"),
    "Retry-After": ("integer", "the seconds to wait before the next try"),
    "WWW-Authenticate": ("string", "the challenge of RFC 6750"),
}
_MEANINGS = {200: "The answer.", 201: "The new entry.", 304: "The client's copy is current."}


def openapi_document(endpoints: Sequence[Endpoint], examples: Examples) -> Json:
    """Return the document of these endpoints; `examples` are by method and path."""
    schemas, components = answer_schemas(endpoints)
    paths: dict[str, Json] = {}
    for endpoint in endpoints:
        for method in endpoint.methods:
            example = examples.get(f"{method} {endpoint.path}", {})
            operation = _operation(endpoint, method, schemas.get(endpoint.path), example)
            paths.setdefault(endpoint.path, {})[method.lower()] = operation
    areas = list(dict.fromkeys(map(area_of, endpoints)))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "edgar-search",
            "version": version("edgar-search"),
            "description": _DESCRIPTION,
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": area, "description": _TAGS.get(area, area)} for area in areas],
        "paths": paths,
        "components": {
            "schemas": {**components, **error_schemas()},
            "securitySchemes": _SCHEMES,
            "headers": {
                name: {"schema": {"type": kind}, "description": text}
                for name, (kind, text) in _HEADERS.items()
            },
        },
    }


def _operation(
    endpoint: Endpoint, method: str, schema: Json | None, example: Mapping[str, Any]
) -> Json:
    parameters = example.get("parameters")
    operation: Json = {
        "operationId": f"{method}{endpoint.path}".lower().replace("/", "_"),
        "tags": [area_of(endpoint)],
        "summary": plain(endpoint.summary),
        "security": _SECURITY[endpoint.credential],
    }
    if endpoint.rules:
        operation["description"] = plain(" ".join(endpoint.rules))
    if method == "POST" and endpoint.parameters:
        operation["requestBody"] = request_body(endpoint, parameters)
    elif endpoint.parameters:
        operation["parameters"] = _with_examples(query_parameters(endpoint), parameters or {})
    operation["responses"] = {
        **{
            str(status): _success(endpoint, status, schema, example) for status in endpoint.statuses
        },
        **error_responses(endpoint),
    }
    return operation


def _with_examples(parameters: list[Json], values: Mapping[str, Any]) -> list[Json]:
    for parameter in parameters:
        if parameter["name"] in values and "schema" in parameter:
            parameter["example"] = values[parameter["name"]]
    return parameters


def _success(
    endpoint: Endpoint, status: int, schema: Json | None, example: Mapping[str, Any]
) -> Json:
    names = ["X-Request-Id"]
    if endpoint.credential == "key":
        names += ["RateLimit", "RateLimit-Policy"]
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    response: Json = {"description": _MEANINGS[status], "headers": headers}
    content: Json = {}
    if schema is not None:
        content["application/json"] = {"schema": schema}
        if "answer" in example:
            content["application/json"]["example"] = example["answer"]
    content |= {media: {} for media in endpoint.media}
    if JSON_LINES in content and "answer" in example:
        lines = [json.encode(line).decode() for line in example["answer"]]
        content[JSON_LINES] = {"example": "\n".join(lines)}
    return response | ({"content": content} if content and status != 304 else {})
