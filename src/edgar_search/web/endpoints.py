"""Every endpoint that is served, with its parameters."""

from edgar_search.web.auth import endpoints as auth
from edgar_search.web.declaration import Endpoint
from edgar_search.web.v1 import endpoints as v1
from edgar_search.web.v2 import endpoints as v2

LIVE = Endpoint("/health/live", "says that the process answers")
READY = Endpoint("/health/ready", "says that Elasticsearch and the indices are there")
ENDPOINTS: tuple[Endpoint, ...] = (*v1.ENDPOINTS, *v2.ENDPOINTS, *auth.ENDPOINTS, LIVE, READY)
