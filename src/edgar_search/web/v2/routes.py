"""The v2 endpoints: GET and POST, with a query string or a JSON body."""

from edgar_search.web.v2 import documents, lookups, others

routes = [*lookups.routes, *documents.routes, *others.routes]
