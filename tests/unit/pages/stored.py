"""The stored entries of a made-up company, as the engine has them."""

from typing import Any

ENTITY: dict[str, Any] = {
    "cik": "0000320193",
    "name": "Apple Inc.",
    "sic": "3571",
    "state_of_incorporation": "CA",
    "business_address": {"street1": "ONE WAY", "city": "CUPERTINO", "state": "CA"},
    "former_names": [{"name": "APPLE COMPUTER INC", "until": "2007-01-09"}],
}
