"""Request bodies for filings."""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import FilingSearch
from edgar_search.search.filters import CikLists, filing_query

# Documents of one filing: no submission has more.
MOST_DOCUMENTS = 10_000
# Form types of one company: EDGAR has a few hundred in all.
MOST_FORMS = 500
# So many come whole, which are a page of version 1 and what shows that another follows: to leave
# something out takes Elasticsearch longer than to send it. Of more filings what few read could be
# hundreds of megabytes: those of funds list their series.
_MOST_WHOLE = 1_001
# Facts of a filing that few read.
_RARE: Clause = {"excludes": ["series", "others", "group_members"]}


def filings_body(search: FilingSearch, ciks: CikLists) -> Clause:
    """Filings that match; what has no value to sort by comes last."""
    order = {"order": search.order, "missing": "_last"}
    return {
        "query": filing_query(search.criteria, ciks),
        "from": search.window.start,
        "size": search.window.size,
        "sort": [{search.sort_by: order}, {"accession_number": search.order}],
        "track_total_hits": True,
        "_source": True if search.window.size <= _MOST_WHOLE else _RARE,
    }


def known_filings_body(numbers: Sequence[str]) -> Clause:
    """The filings of these accession numbers."""
    return {
        "query": {"bool": {"filter": [{"terms": {"accession_number": list(numbers)}}]}},
        "size": len(numbers),
        "track_total_hits": False,
        "_source": _RARE,
    }


def searched_body(number: str) -> Clause:
    """The ids of the documents with text of the filing of this accession number."""
    return {
        "query": {"bool": {"filter": [{"term": {"accession_number": number}}]}},
        "size": MOST_DOCUMENTS,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }


def spread_body(cik: str) -> Clause:
    """How many filings a company has of each form type in each year."""
    years = {"field": "filing_date", "calendar_interval": "year", "format": "yyyy"}
    return {
        "query": {"bool": {"filter": [{"term": {"ciks": cik}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "forms": {
                "terms": {"field": "form_type", "size": MOST_FORMS, "shard_size": MOST_FORMS},
                "aggs": {"years": {"date_histogram": {**years, "min_doc_count": 1}}},
            }
        },
    }
