"""Business days of which EDGAR lists nothing, as `fetch` and `check` tell of them."""

import logging
from datetime import UTC, date, datetime

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.fetching.listed_days import note_missing
from ingest.fetching.listing import Listing
from ingest.indices.indices import Indices
from ingest.loading.patience import Patience
from ingest.sources.filing_filter import FilingFilter

_log = logging.getLogger(__name__)


async def tell_missing_days(
    engine: Engine, settings: Settings, listing: Listing, wanted: FilingFilter
) -> list[date]:
    """Name the business days that a listing, read to its end, lacks; coverage names them too."""
    assert wanted.from_date is not None and wanted.to_date is not None
    missing = listing.missing_days(datetime.now(UTC))
    for day in missing:
        _log.warning("%s is a business day of EDGAR, and no index lists filings of it", day)
    patience = Patience(settings.load_patience)
    await patience(Indices(engine, settings).set_up)
    await note_missing(engine, patience, wanted.from_date, wanted.to_date, missing)
    return missing
