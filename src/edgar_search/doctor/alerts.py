"""Checks of alerts: arrivals are matched in time, and notifications are delivered in time."""

from datetime import UTC, datetime

from edgar_search.alerts.matcher import status
from edgar_search.doctor.findings import Finding, ok, warning
from edgar_search.engine.engine import Engine
from edgar_search.stored.events import LOG, StoredEvent

# The same as in deploy/prometheus-rules.yml.
_LATE_SECONDS = 300.0
_REMEDY = "is `edgar-search alerts` running? Look at its log"


async def look_at_alerts(engine: Engine) -> list[Finding]:
    """Check the lags of matcher and deliverer; no finding before the first arrival."""
    if await engine.get("events", LOG, StoredEvent) is None:
        return []
    state = await status(engine)
    findings = [
        _lag("alerts", f"{state.waiting} arrivals", state.oldest_waiting, state.holder, _REMEDY)
    ]
    if state.deliveries is not None:
        remedy = f"{_REMEDY}, and at the mail server"
        overdue = f"{state.deliveries.overdue} webhooks and mails"
        oldest, holder = state.deliveries.oldest, state.deliveries.holder
        findings.append(_lag("deliveries", overdue, oldest, holder, remedy))
    return findings


def _lag(
    what: str, waiting: str, oldest: datetime | None, holder: str | None, remedy: str
) -> Finding:
    worker = holder or "no process"
    seconds = (datetime.now(UTC) - oldest).total_seconds() if oldest else 0.0
    if seconds > _LATE_SECONDS:
        text = f"{waiting} wait, the oldest for {seconds / 60:.0f} minutes; {worker} has the lease"
        return warning(what, text, remedy)
    return ok(what, f"{seconds:.0f} s behind; {worker} has the lease")
