"""`edgar-search keys` and `edgar-search token`"""

import argparse
import sys
from datetime import UTC, datetime, timedelta

from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys, ends_at, is_valid
from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.api.scopes import check_scopes
from edgar_search.commands.engine import with_engine
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredApiKey


def create(settings: Settings, options: argparse.Namespace) -> int:
    """Create a key, and its account if it is new; the last line printed is the key."""
    account = options.account or options.name

    async def create(engine: Engine) -> None:
        accounts = Accounts(engine, Plans.from_settings(settings))
        if options.plan is not None:
            accounts.plans.check(options.plan)
        scopes = check_scopes(options.scopes)
        made = await ApiKeys(engine).create(options.name, account, scopes, options.expires)
        # After the key is created, so that a refused key does not change the account's plan.
        if options.plan is not None:
            await accounts.set_plan(account, options.plan)
        plan = (await accounts.read(account)).plan
        print(f"id {made.stored.id}, account {account}, plan {plan}; the key is shown only once:")
        print(made.key)

    return with_engine(settings, create)


def show(settings: Settings, options: argparse.Namespace) -> int:
    """Print a line for each key, newest first."""

    async def show(engine: Engine) -> None:
        plans = Plans.from_settings(settings)
        keys = await ApiKeys(engine).list(options.account)
        for key in keys:
            print(_line(key))
        unknown = await Accounts(engine, plans).on_unknown_plans(key.account for key in keys)
        for account, plan in unknown.items():
            instead = f"it has the limits of {plans.default.name}"
            print(f"account {account}: there is no plan {plan} here; {instead}", file=sys.stderr)

    return with_engine(settings, show)


def rotate(settings: Settings, options: argparse.Namespace) -> int:
    """Replace a key by a new one; the last line printed is the new key."""

    async def rotate(engine: Engine) -> None:
        made = await ApiKeys(engine).rotate(options.id, None, timedelta(hours=options.overlap))
        print(f"id {made.stored.id}; the old key works for {options.overlap} h; the new one is:")
        print(made.key)

    return with_engine(settings, rotate)


def revoke(settings: Settings, options: argparse.Namespace) -> int:
    """Revoke a key, which is refused from now on."""

    async def revoke(engine: Engine) -> None:
        stored = await ApiKeys(engine).revoke(options.id)
        print(f"revoked {stored.id} ({stored.name})")

    return with_engine(settings, revoke)


def _line(key: StoredApiKey) -> str:
    scopes = ",".join(key.scopes) if key.scopes else "all"
    created = f"{key.created_at:%Y-%m-%d %H:%M}"
    shown = [key.id, f"{key.prefix}...", key.name, key.account, created]
    used = f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
    return "\t".join([*shown, _describe_state(key), scopes, used])


def _describe_state(key: StoredApiKey) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at:%Y-%m-%d %H:%M}"
    ends = ends_at(key)
    if ends:
        verb = "expires" if is_valid(key, datetime.now(UTC)) else "expired"
        return f"{verb} {ends:%Y-%m-%d %H:%M}"
    return "active"


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print a bearer token of the local issuer, as the last line."""
    token = LocalIssuer(settings.absolute_home).token(options.sub, options.lifetime)
    print(
        f"for {options.sub}, valid for {options.lifetime} seconds; a service with the same"
        f" home accepts it"
    )
    print("and EDGAR_SEARCH_LOCAL_ISSUER=true:")
    print(token)
    return 0
