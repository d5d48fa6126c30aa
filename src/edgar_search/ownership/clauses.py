"""Clauses of filters that all kinds of rows have."""

from collections.abc import Sequence

from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import WHOLE_CUSIP


def one_of(field: str, values: Sequence[str]) -> list[Clause]:
    """Match any of these values of a field, or return no clause if none are given."""
    return [{"terms": {field: list(values)}}] if values else []


def is_flag(field: str, value: bool | None) -> list[Clause]:
    """Match a flag, or return no clause if it is not given."""
    return [] if value is None else [{"term": {field: value}}]


def all_words(field: str, words: str) -> list[Clause]:
    """Match a text with all these words, in any order; no clause without words."""
    return [{"match": {field: {"query": words, "operator": "and"}}}] if words else []


def of_cusips(field: str, cusips: Sequence[str]) -> list[Clause]:
    """Match a row with one of these CUSIPs, or with a CUSIP that begins with a shorter one."""
    either: list[Clause] = [
        {"term": {field: cusip}} if len(cusip) >= WHOLE_CUSIP else {"prefix": {field: cusip}}
        for cusip in cusips
    ]
    return [{"bool": {"should": either}}] if either else []
