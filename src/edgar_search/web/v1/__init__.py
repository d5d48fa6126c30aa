"""The v1 endpoints."""

from edgar_search.web.v1.routes import routes

__all__ = ["routes"]
