"""Every endpoint below `/auth/`, and credentials that are none there."""

from typing import Any, NamedTuple

from tests.web.canned import KEY

# Each endpoint with what it answers to a request that has a token and nothing else.
ENDPOINTS: dict[tuple[str, str], tuple[int, Any]] = {
    ("GET", "/auth/favorites/get"): (200, {"favorites": [], "total_count": 0}),
    ("POST", "/auth/favorites/add"): (
        400,
        {"error": "`type` is missing; give one of filing, entity, document"},
    ),
    ("POST", "/auth/favorites/remove"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("DELETE", "/auth/favorites/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/history/get"): (200, {"history": [], "total_count": 0}),
    ("POST", "/auth/history/clear"): (200, {"changed": 0}),
    ("GET", "/auth/saved-links/get"): (200, {"saved-links": [], "total_count": 0}),
    ("POST", "/auth/saved-links/add"): (
        400,
        {"error": "`url` is missing; give 1 to 2000 characters"},
    ),
    ("POST", "/auth/saved-links/update"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("POST", "/auth/saved-links/remove"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("DELETE", "/auth/saved-links/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/notifications/get"): (200, {"notifications": [], "total_count": 0}),
    ("POST", "/auth/notifications/mark_read"): (
        400,
        {"error": '`ids` or `"all": true` must be given, not both'},
    ),
    ("POST", "/auth/notifications/remove"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("DELETE", "/auth/notifications/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/alert_triggers/get"): (200, {"alert_triggers": [], "total_count": 0}),
    ("POST", "/auth/alert_triggers/add"): (
        400,
        {"error": "`name` is missing; give 1 to 100 characters"},
    ),
    ("POST", "/auth/alert_triggers/update"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("POST", "/auth/alert_triggers/remove"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("DELETE", "/auth/alert_triggers/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/alert_triggers/test"): (
        400,
        {"error": "query: needed if there is no filter, such as cik, ticker, sic or form_type"},
    ),
    ("GET", "/auth/webhooks/get"): (200, {"webhooks": [], "total_count": 0}),
    ("POST", "/auth/webhooks/add"): (
        400,
        {"error": "`name` is missing; give 1 to 100 characters"},
    ),
    **{
        ("POST", f"/auth/webhooks/{verb}"): (
            400,
            {"error": "`id` is missing; give 1 to 200 characters"},
        )
        for verb in ("update", "rotate", "test", "remove", "replay")
    },
    ("DELETE", "/auth/webhooks/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/webhooks/deliveries"): (200, {"deliveries": [], "total_count": 0}),
    ("GET", "/auth/api_keys/get"): (200, {"api_keys": [], "total_count": 0}),
    ("POST", "/auth/api_keys/create"): (
        400,
        {"error": "`name` is missing; give 1 to 100 characters"},
    ),
    ("POST", "/auth/api_keys/rotate"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("POST", "/auth/api_keys/revoke"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("DELETE", "/auth/api_keys/revoke"): (400, {"error": "`id` is missing"}),
    ("POST", "/auth/api_keys/remove"): (
        400,
        {"error": "`id` is missing; give 1 to 200 characters"},
    ),
    ("GET", "/auth/notifications/stream"): (503, None),
    ("DELETE", "/auth/api_keys/remove"): (400, {"error": "`id` is missing"}),
    ("GET", "/auth/usage_limits"): (200, None),
    ("GET", "/auth/subscription/get"): (200, None),
    ("GET", "/auth/subscription/plans"): (200, None),
    ("POST", "/auth/subscription/change"): (
        403,
        {"error": "the plan can be changed by the operator only", "status": 403},
    ),
}
# Where the operator allows no change of plan, that is said before anything else of the request.
READING = [endpoint for endpoint in ENDPOINTS if endpoint[1] != "/auth/subscription/change"]


class Credential(NamedTuple):
    """A credential that is none here; what it is answered."""

    headers: list[tuple[str, str]]
    challenge: str
    text: str
    target: str = ""


NEEDED = "a bearer token is needed: Authorization: Bearer TOKEN"
BARE, INVALID = "Bearer", 'Bearer error="invalid_token"'
CREDENTIALS = [
    Credential([], BARE, NEEDED),
    Credential([("X-API-Key", KEY)], BARE, NEEDED),
    Credential([], BARE, NEEDED, f"?api_key={KEY}"),
    Credential([("Authorization", "Basic dTpw")], BARE, NEEDED),
    Credential([("Authorization", "Bearer")], BARE, NEEDED),
    Credential(
        [("Authorization", f"Bearer {KEY}")],
        INVALID,
        "the bearer token is not a signed JSON web token",
    ),
    Credential(
        [("Authorization", "Bearer a b")],
        INVALID,
        "Authorization: must be Bearer and one token, and nothing else",
    ),
    Credential(
        [("Authorization", "Bearer a"), ("Authorization", "Bearer a")],
        INVALID,
        "Authorization: must be given once",
    ),
]
