"""Five calls by the client that openapi-python-client generates; prints what they return.

It runs in an environment of its own, with the generated package beside it.
"""

import json
import os

from edgar_search_client import AuthenticatedClient
from edgar_search_client.api.health import get_health_ready
from edgar_search_client.api.v1 import get_v1_facts, get_v1_lookup, get_v1_matches, get_v1_search

client = AuthenticatedClient(
    base_url=os.environ["URL"], token=os.environ["KEY"], prefix="", auth_header_name="X-API-Key"
)
lookup = get_v1_lookup.sync(client=client, ticker=["QLFP"], form_type=["10-K"])
search = get_v1_search.sync(client=client, query='"material weakness"', limit=1)
document_id = search.items[0].document_id
matches = get_v1_matches.sync(client=client, document_id=document_id, query='"material weakness"')
facts = get_v1_facts.sync(client=client, ticker=["BRMW"], concept=["us-gaap:Revenues"])
health = get_health_ready.sync(client=client)
print(
    json.dumps(
        {
            "found": lookup.response_details.filings_found,
            "total": search.total_count,
            "matches": len(matches.items[0].text) > 0,
            "value": facts.items[0].value,
            "health": health.status,
        }
    )
)
