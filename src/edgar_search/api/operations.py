"""Every operation that is served as JSON: its route, scope and reference follow from this list."""

from typing import Any

from edgar_search.api.answer import FIND_ANSWER
from edgar_search.api.check import EXPLAIN_QUERY
from edgar_search.api.compare import FIND_CHANGES
from edgar_search.api.concepts import FIND_CONCEPTS
from edgar_search.api.coverage import REPORT_COVERAGE
from edgar_search.api.export import ROWS_OF
from edgar_search.api.facets import COUNT_FACETS
from edgar_search.api.lookup import FIND_FILINGS
from edgar_search.api.matches import FIND_MATCHES
from edgar_search.api.number import CHECK_STATED
from edgar_search.api.operation import AnyOperation
from edgar_search.api.quote import CHECK_WORDS
from edgar_search.api.screen import FIND_SCREEN
from edgar_search.api.search import FIND_DOCUMENTS
from edgar_search.api.statements import FIND_STATEMENTS
from edgar_search.api.tables import FIND_TABLES
from edgar_search.api.text import FIND_TEXT

OPERATIONS: tuple[AnyOperation[Any], ...] = (
    FIND_FILINGS,
    FIND_DOCUMENTS,
    REPORT_COVERAGE,
    FIND_MATCHES,
    FIND_TEXT,
    FIND_TABLES,
    FIND_CHANGES,
    COUNT_FACETS,
    FIND_SCREEN,
    EXPLAIN_QUERY,
    *(rows.operation for rows in ROWS_OF.values()),
    CHECK_WORDS,
    CHECK_STATED,
    FIND_ANSWER,
    FIND_STATEMENTS,
    FIND_CONCEPTS,
)
