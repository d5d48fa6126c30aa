"""An account that has one of everything that is stored under its name."""

import secrets
from datetime import UTC, datetime

from msgspec import structs

from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.sessions import Sessions
from edgar_search.alerts.mailboxes import Mailboxes
from edgar_search.alerts.notifications import Notice, Notifications
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.alerts.webhooks import Webhooks
from edgar_search.engine.engine import Engine
from edgar_search.events.log import EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, StoredEvent
from edgar_search.stored.user_items import StoredFavorite, StoredNotification, StoredSavedLink
from edgar_search.user_data.items import UserItems
from edgar_search.user_data.saved_links import SavedLinks


async def furnish(engine: Engine, settings: Settings, account: str) -> str:
    """Give an account one of everything but calls; its key."""
    made = await ApiKeys(engine).create("a key", account)
    await Accounts(engine, Plans.from_settings(settings)).set_plan(account, "unlimited")
    await Sessions(engine, settings).begin(account, "Somebody")
    await SavedLinks(engine).add(account, StoredSavedLink("https://example.com/"))
    favorites = UserItems(engine, "favorites", StoredFavorite, "favorite")
    await favorites.add(account, StoredFavorite("entity", "0009990101", None))
    await AlertTriggers(engine).add(account, {"name": "moss", "query": "moss"})
    event = StoredEvent(ALERT, datetime.now(UTC), account=account)
    await EventLog(engine).append([(f"alert {account}", event)])
    await Notifications(engine).notify([Notice(account, f"{account}-1", StoredNotification("1"))])
    keyed = structs.replace(settings, secrets_key="k" * 32)
    mailing = structs.replace(keyed, smtp_host="mail.example")
    address = f"{secrets.token_hex(4)}@mail.example"
    await Mailboxes(engine, mailing).set(account, address, 7, "Europe/Berlin")
    webhooks = Webhooks(engine, keyed)
    webhook = (await webhooks.add(account, "mine", "https://example.com/hook")).stored
    await webhooks.test(account, webhook.id)
    return made.key
