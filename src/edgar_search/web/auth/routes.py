"""Routes of all areas below `/auth/`."""

from edgar_search.web.auth import (
    alert_triggers,
    api_keys,
    favorites,
    history,
    notifications,
    plan,
    saved_links,
)

routes = [
    *favorites.routes,
    *history.routes,
    *saved_links.routes,
    *notifications.routes,
    *alert_triggers.routes,
    *api_keys.routes,
    *plan.usage_routes,
    *plan.subscription_routes,
]
