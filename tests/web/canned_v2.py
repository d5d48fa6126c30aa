"""Contents of the stub engine for Version 2: one entity, filing and document, no sections."""

from collections.abc import Mapping

from tests.web import canned
from tests.web.canned import Json, search_reply

ENTITY_HIT: Json = {
    "_source": {
        "cik": "0000320193",
        "name": "Apple Inc.",
        "sic": "3571",
        "former_names": [{"name": "APPLE COMPUTER INC", "since": "1997-08-08"}],
    },
    "fields": {"cik": ["0000320193"]},
}
FOUND_HIT: Json = {
    **canned.DOCUMENT_HIT,
    "fields": {
        **canned.DOCUMENT_HIT["fields"],
        "document_type": ["10-K"],
        "description": [""],
        "size": [1234],
        "sics": ["3571"],
        "accepted_at": ["2024-01-31T21:30:00Z"],
    },
}
PASSAGE_HIT: Json = {
    **canned.PASSAGE_HIT,
    "_source": {
        "document_id": "0000320193-24-000001-1",
        "number": 0,
        "start": 0,
        "text": "net sales rose",
    },
}
SEARCHES: Mapping[str, Json] = {
    "entities": search_reply([ENTITY_HIT], 1),
    "filings": search_reply([canned.FILING_HIT], 1),
    "documents": search_reply([FOUND_HIT], 41),
    "passages": search_reply([PASSAGE_HIT]),
    "sections": search_reply([]),
    "insider_trades": search_reply([], 0),
    "stakes": search_reply([], 0),
    "planned_sales": search_reply([], 0),
    "manager_reports": search_reply([], 0),
    "holdings": search_reply([], 0),
}

ENTITY: Json = {
    "cik": "0000320193",
    "name": "Apple Inc.",
    "conformedName": "Apple Inc.",
    "entityType": None,
    "tickers": ["AAPL"],
    "exchanges": ["Nasdaq"],
    "sic": "3571",
    "sicDescription": None,
    "ein": None,
    "description": None,
    "website": None,
    "fiscalYearEnd": None,
    "stateOfIncorporation": None,
    "addresses": {},
    "formerNames": [{"name": "APPLE COMPUTER INC", "from": "1997-08-08", "to": None}],
}
DOCUMENT: Json = {
    "id": "0000320193-24-000001-1",
    "accessionNumber": "0000320193-24-000001",
    "sequence": 1,
    "documentType": "10-K",
    "fileName": "a10k.htm",
    "description": "10-K",
    "size": 1234,
    "contentType": "text/html",
}
FILING: Json = {
    "accessionNumber": "0000320193-24-000001",
    "form": "10-K",
    "cik": "0000320193",
    "filingDate": "2024-01-31",
    "reportDate": "2023-12-31",
    "acceptanceDateTime": None,
    "documentCount": 1,
    "documents": [DOCUMENT],
    "eightkItems": [],
    "entityName": None,
    "tickers": ["AAPL"],
    "size": 0,
    "primaryDocument": "a10k.htm",
}
DETAIL: Json = {
    "filing": {
        "accessionNumber": "0000320193-24-000001",
        "formType": "10-K",
        "cik": "0000320193",
        "filingDate": "2024-01-31",
        "reportDate": "2023-12-31",
        "acceptanceDatetime": None,
        "documentCount": 1,
    },
    "filer": ENTITY,
    "documents": [DOCUMENT],
    "sections": [],
    "eightkItems": [],
}
HIT: Json = {
    "id": "0000320193-24-000001-1",
    "score": 0.75,
    "accession_number": "0000320193-24-000001",
    "form_type": "10-K",
    "filing_date": "2024-01-31",
    "acceptance_date_time": "2024-01-31T21:30:00Z",
    "document_type": "10-K",
    "document_description": None,
    "file_name": "a10k.htm",
    "ciks": ["0000320193"],
    "sics": ["3571"],
    "size": 1234,
    "highlights": ["&lt;b&gt;net&lt;/b&gt; <mark>sales</mark> rose..."],
    "text_content": "net sales rose",
}
