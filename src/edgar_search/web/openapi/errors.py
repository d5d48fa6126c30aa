"""What every endpoint may be refused with, in the form that its area answers in."""

from typing import Any

import msgspec

from edgar_search.web.declaration import Endpoint
from edgar_search.web.responses import error_response

Json = dict[str, Any]

_MEANINGS = {
    400: "A parameter is wrong; the text names it and says what would be right.",
    401: "No credential, or not a valid one.",
    403: "The credential is valid but does not reach this.",
    404: "What the request names is not here.",
    410: "What the request names was here, and is not as it was any more.",
    413: "The body is too long.",
    429: "The account has no call left for now.",
    503: "Elasticsearch is away or overloaded, or too much is asked for at once; try again later.",
}
_OTHER = "Any other error has this form too."
# Parameters that name a thing; where there is no such thing, the answer is a 404.
_NAMES = ("id", "document_id", "accession_number")
# By which a version of it is meant; where it is another by now, the answer is a 410.
_VERSIONS = ("text_sha256", "cursor")
_FIELDS: Json = {
    "error": {"type": "string", "description": "what is wrong, in words"},
    "status": {"type": "integer", "description": "the status of the answer"},
    "retry_after": {"type": "integer", "description": "in how many seconds to try again"},
}
SCHEMAS: Json = {
    "Error": ("error",),
    "ErrorWithStatus": ("error", "status"),
    "ErrorWithWait": ("error", "status", "retry_after"),
}


def error_schemas() -> Json:
    """The forms that errors have, by name."""
    return {
        name: {
            "type": "object",
            "properties": {field: _FIELDS[field] for field in fields},
            "required": list(fields),
        }
        for name, fields in SCHEMAS.items()
    }


def error_responses(endpoint: Endpoint) -> Json:
    """The refusals of an endpoint by their status."""
    found = {str(status): _response(endpoint, status) for status in _statuses(endpoint)}
    return {**found, "default": {**_content("Error"), "description": _OTHER}}


def _statuses(endpoint: Endpoint) -> list[int]:
    statuses = [400] if endpoint.parameters else []
    if endpoint.credential != "none":
        statuses = [400, 401, 429]
    if endpoint.credential == "key":
        statuses.append(403)
    if any(each.name in _NAMES for each in endpoint.parameters):
        statuses.append(404)
    if any(each.name in _VERSIONS for each in endpoint.parameters):
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
    return {"description": _MEANINGS[status], "headers": headers, **content}


def _form(path: str, status: int) -> str:
    """The name of the schema of such an error, as it is really made."""
    made = msgspec.json.decode(error_response(path, status, "", {"Retry-After": "1"}).body)
    return next(name for name, fields in SCHEMAS.items() if fields == tuple(made))


def _content(name: str) -> Json:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"content": {"application/json": {"schema": schema}}}


def _header(name: str) -> Json:
    return {"$ref": f"#/components/headers/{name}"}
