"""Sessions of browsers: the browser has an opaque id, everything else is stored here."""

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from msgspec import structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import Conflict, EngineUnavailable, Unavailable
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredSession

# 256 bits, as secrets.token_urlsafe writes them.
_ID_BYTES = 32
_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
# The precision of the last use: not every page should wait for a write.
_USED_STEP = timedelta(minutes=1)
# How long a user may take at the issuer.
SIGN_IN_TIME = timedelta(minutes=10)
# The template version from which on sessions have the issuer's session id.
_AT_ISSUER = 2
# Sessions that one request ends, more than anyone has.
_BATCH = 1_000
# How the ID token is encrypted (RFC 7516).
_SEALED = {"alg": "dir", "enc": "A256GCM"}


class AtIssuer(NamedTuple):
    """The issuer's ID token, and its id of its own session, for a logout there."""

    id_token: str
    session: str | None


class Sessions:
    """The sessions of all accounts; each page reads its session, so its end counts at once."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._idle = timedelta(seconds=settings.session_idle)
        self._step = min(_USED_STEP, self._idle / 60)
        self._lifetime = timedelta(seconds=settings.session_lifetime)

    async def begin(self, account: str, name: str, at_issuer: AtIssuer | None = None) -> str:
        """Begin a session; return its id, which is not stored."""
        now = datetime.now(UTC)
        session_id = secrets.token_urlsafe(_ID_BYTES)
        session = StoredSession(account, name, now, now, now + self._lifetime)
        if at_issuer is not None and await self._engine.mapping_version("sessions") >= _AT_ISSUER:
            sealed = jwe.encrypt_compact(_SEALED, at_issuer.id_token, _seal(session_id, "id_token"))
            session = structs.replace(session, id_token=sealed, issuer_session=at_issuer.session)
        return await self._create(session_id, session)

    async def begin_sign_in(self, pending: str) -> str:
        """Store the state of a sign-in until the browser returns; return its id."""
        await self._remove({"range": {"ends_at": {"lte": datetime.now(UTC).isoformat()}}})
        now = datetime.now(UTC)
        session = StoredSession("", "", now, now, now + SIGN_IN_TIME, pending)
        return await self._create(secrets.token_urlsafe(_ID_BYTES), session)

    async def read(self, session_id: str) -> StoredSession | None:
        """Read the session with this id; None if there is none, it is over, or it is a sign-in."""
        stored = await self._read(session_id)
        session = None if stored is None else stored.source
        now = datetime.now(UTC)
        if stored is None or session is None or session.pending is not None:
            return None
        # The last use is at most a step later than the stored one: never end a session early.
        if now >= session.ends_at or now - session.used_at >= self._idle + self._step:
            return None
        if now - session.used_at >= self._step:
            await self._use(stored, session, now)
        return session

    async def take_sign_in(self, session_id: str) -> str | None:
        """Take the state of a sign-in, once; None if there is none, or it took too long."""
        stored = await self._read(session_id)
        session = None if stored is None else stored.source
        if stored is None or session is None or session.pending is None:
            return None
        try:
            await self._engine.delete("sessions", stored)
        except Conflict:
            return None  # Another request has taken it.
        return session.pending if datetime.now(UTC) < session.ends_at else None

    async def end(self, session_id: str) -> None:
        """End a session, if it is one."""
        stored = await self._read(session_id)
        if stored is not None and stored.source is not None:
            try:
                await self._engine.delete("sessions", stored)
            except Conflict:
                await self.end(session_id)

    async def end_all(self, account: str) -> int:
        """End every session of an account; return their number."""
        return await self._end_matching({"term": {"account": account}})

    async def end_at_issuer(
        self, account: str | None, issuer_session: str | None, at: datetime
    ) -> int:
        """End sessions that the issuer has ended: one by its id, or all of an account.

        If both are given, sessions of the account without a known issuer id are ended too: they may
        be the named one. Others stay, even if the named one is already over here. Sessions that
        began after `at` stay too, so that a repeated logout token ends nothing.
        """
        meant: list[dict[str, Any]] = []
        if issuer_session and await self._engine.mapping_version("sessions") >= _AT_ISSUER:
            meant.append({"term": {"issuer_session": issuer_session}})
        if account is not None:
            unknown = {"must_not": [{"exists": {"field": "issuer_session"}}]} if meant else {}
            meant.append({"bool": {"filter": [{"term": {"account": account}}], **unknown}})
        if not meant:
            raise Unavailable(
                "sessions cannot be found by the issuer's session id (sid), because an older"
                " version made the index of sessions; run `edgar-ingest templates put` first"
            )
        begun = {"range": {"created_at": {"lte": at.isoformat()}}}
        return await self._end_matching(
            {"bool": {"filter": [begun], "should": meant, "minimum_should_match": 1}}
        )

    async def _end_matching(self, clause: dict[str, Any]) -> int:
        await self._engine.refresh("sessions")
        ended = 0
        while found := await self._remove(clause):
            ended += found
        return ended

    async def _create(self, session_id: str, session: StoredSession) -> str:
        # It is read by its id; to end all sessions of an account they are made visible first.
        await self._engine.create("sessions", _key(session_id), session, visible=False)
        return session_id

    async def _read(self, session_id: str) -> Stored[StoredSession] | None:
        if not _ID.fullmatch(session_id):
            return None
        return await self._engine.get("sessions", _key(session_id), StoredSession)

    async def _use(
        self, stored: Stored[StoredSession], session: StoredSession, now: datetime
    ) -> None:
        try:
            used = structs.replace(session, used_at=now)
            await self._engine.replace("sessions", stored, used, visible=False)
        except (Conflict, EngineUnavailable):
            # Another page has written it, or the session was ended, or nothing can be written now:
            # none of this should keep the user from the page.
            pass

    async def _remove(self, clause: dict[str, Any]) -> int:
        """Remove sessions that match, as of the last refresh.

        Return how many were found.
        """
        body = {
            "query": {"bool": {"filter": [clause]}},
            "size": _BATCH,
            "sort": ["_doc"],
            "track_total_hits": False,
            "seq_no_primary_term": True,
        }
        found = (await self._engine.search("sessions", body, Stored[StoredSession])).hits.hits
        # A session that is used at this moment stays, and is found again.
        await self._engine.delete_many("sessions", found)
        return len(found)


def id_token_of(session: StoredSession, session_id: str) -> str | None:
    """Decrypt the issuer's ID token of a session, for which the session's id is needed."""
    try:
        opened = jwe.decrypt_compact(session.id_token or "", _seal(session_id, "id_token"))
    except (JoseError, ValueError):
        return None  # The session has no ID token.
    return (opened.plaintext or b"").decode()


def sealed(text: str, session_id: str) -> str:
    """Encrypt a text that a session's browser keeps for a moment."""
    return jwe.encrypt_compact(_SEALED, text, _seal(session_id, "handed_over"))


def unsealed(value: str, session_id: str) -> str:
    """Decrypt a text from `sealed`; "" for anything else."""
    try:
        opened = jwe.decrypt_compact(value, _seal(session_id, "handed_over"))
    except (JoseError, ValueError):
        return ""
    return (opened.plaintext or b"").decode()


def _seal(session_id: str, purpose: str) -> OctKey:
    """Derive a key of a session for a purpose; the stored hash of the id does not reveal it."""
    return OctKey.import_key(hmac.digest(session_id.encode(), purpose.encode(), "sha256"))


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()
