"""`edgar-search accounts`"""

import argparse
import asyncio
import shlex
import sys
from collections import Counter
from collections.abc import Mapping

import msgspec

from edgar_search.access.accounts import Accounts, Plans, find_accounts, have_details
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens.bearer import account_id
from edgar_search.commands.engine import with_engine
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import MAX_AGE
from edgar_search.errors import BadRequest, NotFound
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredAccount
from edgar_search.user_data.deletion import SETTLED_SECONDS, belongings, delete_belongings
from edgar_search.user_data.export import export_belongings

_OLDER = "the index of accounts is of an older version; run `edgar-ingest templates put` first"


def list_all(settings: Settings, options: argparse.Namespace) -> int:
    """Print a line for each account that has a record."""

    async def list_all(engine: Engine) -> None:
        detailed = options.email is not None or options.suspended
        if detailed and not await have_details(engine):
            raise BadRequest(f"accounts list: {_OLDER}")
        found = await find_accounts(engine, email=options.email, suspended=options.suspended)
        for each in found:
            print(_line(each))
        print("1 account" if len(found) == 1 else f"{len(found)} accounts", file=sys.stderr)

    return with_engine(settings, list_all)


def show(settings: Settings, options: argparse.Namespace) -> int:
    """Print an account, and how many items of each kind it has."""

    async def show(engine: Engine) -> None:
        account, found = await _find_account(engine, options)
        accounts = Accounts(engine, Plans.from_settings(settings))
        print(_line(await accounts.read(account)))
        print(f"has {_format_counts(found)}")

    return with_engine(settings, show)


def export(settings: Settings, options: argparse.Namespace) -> int:
    """Print all that is stored of an account as JSON lines; the last one confirms the end."""

    async def export(engine: Engine) -> None:
        account, _ = await _find_account(engine, options)
        written: Counter[str] = Counter()
        async for entry in export_belongings(engine, account):
            written[entry.part] += 1
            print(_json({"part": entry.part, "entry": entry.content}))
        print(_json({"account": account, "complete": True, "entries": written}))

    return with_engine(settings, export)


def suspend(settings: Settings, options: argparse.Namespace) -> int:
    """Suspend an account: refuse keys, tokens and sign-ins, end sessions, stop alerts."""

    async def suspend(engine: Engine) -> None:
        account, _ = await _find_account(engine, options)
        accounts = Accounts(engine, Plans.from_settings(settings))
        if not await have_details(engine):
            raise BadRequest(f"accounts suspend: {_OLDER}")
        await accounts.suspend(account)
        ended = await Sessions(engine, settings).end_all(account)
        print(
            f"suspended account {account}: {ended} sessions ended; keys and tokens are refused"
            f" within {MAX_AGE:.0f} s, alerts from the next batch on"
        )

    return with_engine(settings, suspend)


def resume(settings: Settings, options: argparse.Namespace) -> int:
    """Resume a suspended account; its users must sign in again."""

    async def resume(engine: Engine) -> None:
        account, _ = await _find_account(engine, options)
        accounts = Accounts(engine, Plans.from_settings(settings))
        if (await accounts.read(account)).suspended_at is None:
            raise BadRequest(f"accounts resume: account {account} is not suspended")
        await accounts.resume(account)
        print(f"account {account} may be used again")

    return with_engine(settings, resume)


def delete(settings: Settings, options: argparse.Namespace) -> int:
    """Delete an account with all its data, and print how many items there were."""

    async def delete(engine: Engine) -> None:
        account, found = await _find_account(engine, options)
        _confirm(account, found, options.yes)
        deleted = Counter(await delete_belongings(engine, account))
        if "API keys" in deleted or "sessions" in deleted:
            # A running service may accept its keys for a moment, and write their calls later.
            print(f"waiting {SETTLED_SECONDS:.0f} s for calls under way", file=sys.stderr)
            await asyncio.sleep(SETTLED_SECONDS)
            deleted.update(await delete_belongings(engine, account))
        print(f"deleted from account {account}: {_format_counts(deleted)}")

    return with_engine(settings, delete)


def _json(value: Mapping[str, object]) -> str:
    return msgspec.json.encode(value).decode()


def _line(account: StoredAccount) -> str:
    """Format an account as a line with tabs between its fields."""
    since = account.suspended_at
    state = "active" if since is None else f"suspended since {since:%Y-%m-%d %H:%M} UTC"
    parts = (
        account.id,
        account.plan,
        account.email or "-",
        f"{account.created_at:%Y-%m-%d}",
        state,
    )
    return "\t".join(parts)


async def _candidates(engine: Engine, options: argparse.Namespace) -> list[str]:
    """Return the ids of accounts with this id, e-mail address, or user of an issuer.

    The issuer's last slash is optional. Raises BadRequest if several accounts match: an id may look
    like an address, and users may share one.
    """
    names = [value for value in (options.name, options.id, options.subject) if value is not None]
    if len(names) != 1 or (options.issuer is None) != (options.subject is None):
        raise BadRequest("accounts: give NAME, or --id, or --issuer and --subject")
    if options.subject is not None:
        issuer = options.issuer.rstrip("/")
        return [account_id(each, options.subject) for each in (issuer, f"{issuer}/")]
    if options.id is not None or "@" not in options.name:
        return names
    users = [each.id for each in await find_accounts(engine, email=options.name)]
    named = [options.name] if users and await belongings(engine, options.name) else []
    if len(users) + len(named) < 2:
        return users or names
    ways = [f"`--id {shlex.quote(account)}`" for account in (*named, *users)]
    also = "is the id of an account, and " if named else ""
    raise BadRequest(
        f"accounts: {options.name} {also}is the e-mail address of {', '.join(users)}; give one of"
        f" {', '.join(ways)}"
    )


async def _find_account(
    engine: Engine, options: argparse.Namespace
) -> tuple[str, Mapping[str, int]]:
    """Find the named account, and count its items; NotFound if it has none."""
    candidates = await _candidates(engine, options)
    for account in candidates:
        counts = await belongings(engine, account)
        if counts:
            return account, counts
    if options.name is not None and "@" in options.name and not await have_details(engine):
        raise BadRequest(f"accounts: no account has an e-mail address yet; {_OLDER}")
    raise NotFound(
        f"account {' or '.join(candidates)}: there is no such account, or it has no data;"
        " `edgar-search keys list` shows names of accounts"
    )


def _confirm(account: str, counts: Mapping[str, int], yes: bool) -> None:
    """Ask for confirmation on the terminal; raises BadRequest unless it is given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadRequest("accounts delete: give --yes, because there is no terminal to ask on")
    print(f"account {account} has {_format_counts(counts)}", file=sys.stderr)
    print("delete all of it for good? Type `yes`: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != "yes":
        raise BadRequest("accounts delete: nothing was deleted")


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
