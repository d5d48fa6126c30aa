"""Sessions of browsers: the browser keeps an opaque id, and everything else is stored here."""

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

# 256 bits, encoded by secrets.token_urlsafe.
_ID_BYTES = 32
_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
# The precision of a session's last use: a page should seldom wait for a write.
_USED_STEP = timedelta(minutes=1)
# How long a user may take to sign in at the issuer.
SIGN_IN_TIME = timedelta(minutes=10)
# Since this template version sessions have the issuer's session id.
_AT_ISSUER = 2
# How many sessions one request ends: more than anyone has.
_BATCH = 1_000
# How the ID token is encrypted (RFC 7516).
_SEALED = {"alg": "dir", "enc": "A256GCM"}


class AtIssuer(NamedTuple):
    """The issuer's ID token and its own session id, which a logout at the issuer needs."""

    id_token: str
    session: str | None


class Sessions:
    """The sessions of all accounts.

    Each page reads its session, so that the end of a session takes effect at once.
    """

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._idle = timedelta(seconds=settings.session_idle)
        self._step = min(_USED_STEP, self._idle / 60)
        self._lifetime = timedelta(seconds=settings.session_lifetime)

    async def begin(self, account: str, name: str, at_issuer: AtIssuer | None = None) -> str:
        """Begin a session; return its id, of which only a hash is stored."""
        now = datetime.now(UTC)
        session_id = secrets.token_urlsafe(_ID_BYTES)
        session = StoredSession(account, name, now, now, now + self._lifetime)
        if at_issuer is not None and await self._engine.mapping_version("sessions") >= _AT_ISSUER:
            sealed = jwe.encrypt_compact(_SEALED, at_issuer.id_token, _seal(session_id, "id_token"))
            session = structs.replace(session, id_token=sealed, issuer_session=at_issuer.session)
        return await self._create(session_id, session)

    async def begin_sign_in(self, pending: str) -> str:
        """Store the state of a sign-in until the browser comes back; return its id."""
        await self._remove({"range": {"ends_at": {"lte": datetime.now(UTC).isoformat()}}})
        now = datetime.now(UTC)
        session = StoredSession("", "", now, now, now + SIGN_IN_TIME, pending)
        return await self._create(secrets.token_urlsafe(_ID_BYTES), session)

    async def read(self, session_id: str) -> StoredSession | None:
        """Read the session with this id; None if it is unknown, has ended, or is only a sign-in."""
        stored = await self._read(session_id)
        session = None if stored is None else stored.source
        now = datetime.now(UTC)
        if stored is None or session is None or session.pending is not None:
            return None
        # The stored last use may be a step too old: never end a session early.
        if now >= session.ends_at or now - session.used_at >= self._idle + self._step:
            return None
        if now - session.used_at >= self._step:
            await self._use(stored, session, now)
        return session

    async def take_sign_in(self, session_id: str) -> str | None:
        """Take out the state of a sign-in, which works once; None if it is unknown or too old."""
        stored = await self._read(session_id)
        session = None if stored is None else stored.source
        if stored is None or session is None or session.pending is None:
            return None
        try:
            await self._engine.delete("sessions", stored)
        except Conflict:
            return None  # Another request took it first.
        return session.pending if datetime.now(UTC) < session.ends_at else None

    async def end(self, session_id: str) -> None:
        """End the session with this id, if it exists."""
        stored = await self._read(session_id)
        if stored is not None and stored.source is not None:
            try:
                await self._engine.delete("sessions", stored)
            except Conflict:
                await self.end(session_id)

    async def end_all(self, account: str) -> int:
        """End all sessions of an account; return how many there were."""
        return await self._end_matching({"term": {"account": account}})

    async def end_at_issuer(
        self, account: str | None, issuer_session: str | None, at: datetime
    ) -> int:
        """End the sessions that the issuer has ended: one by its id, or all of an account.

        If both are given, sessions of the account with no issuer id end too, since one of them may
        be meant. Others continue, even if the named one is already over here. Sessions that began
        after `at` also continue, so that a repeated logout token ends nothing.
        """
        clauses: list[dict[str, Any]] = []
        if issuer_session and await self._engine.mapping_version("sessions") >= _AT_ISSUER:
            clauses.append({"term": {"issuer_session": issuer_session}})
        if account is not None:
            without_id = {"must_not": [{"exists": {"field": "issuer_session"}}]} if clauses else {}
            clauses.append({"bool": {"filter": [{"term": {"account": account}}], **without_id}})
        if not clauses:
            raise Unavailable(
                "sessions cannot be found by the issuer's session id (sid), because an older"
                " version made the index of sessions; run `edgar-ingest templates put` first"
            )
        already_begun = {"range": {"created_at": {"lte": at.isoformat()}}}
        return await self._end_matching(
            {"bool": {"filter": [already_begun], "should": clauses, "minimum_should_match": 1}}
        )

    async def _end_matching(self, clause: dict[str, Any]) -> int:
        await self._engine.refresh("sessions")
        ended = 0
        while removed := await self._remove(clause):
            ended += removed
        return ended

    async def _create(self, session_id: str, session: StoredSession) -> str:
        # Sessions are read by id; ending all of an account's refreshes them first.
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
            # Another page wrote first, the session has ended, or nothing can be written now: none
            # of this should keep the user from the page.
            pass

    async def _remove(self, clause: dict[str, Any]) -> int:
        """Delete the sessions that match as of the last refresh; return how many were found."""
        body = {
            "query": {"bool": {"filter": [clause]}},
            "size": _BATCH,
            "sort": ["_doc"],
            "track_total_hits": False,
            "seq_no_primary_term": True,
        }
        hits = (await self._engine.search("sessions", body, Stored[StoredSession])).hits.hits
        # A session in use at this moment is not deleted, and is found again.
        await self._engine.delete_many("sessions", hits)
        return len(hits)


def id_token_of(session: StoredSession, session_id: str) -> str | None:
    """Decrypt the issuer's ID token of a session, which takes the session's id."""
    try:
        decrypted = jwe.decrypt_compact(session.id_token or "", _seal(session_id, "id_token"))
    except (JoseError, ValueError):
        return None  # The session has no ID token.
    return (decrypted.plaintext or b"").decode()


def sealed(text: str, session_id: str) -> str:
    """Encrypt a short-lived text that the session's browser keeps."""
    return jwe.encrypt_compact(_SEALED, text, _seal(session_id, "handed_over"))


def unsealed(value: str, session_id: str) -> str:
    """Decrypt a text from `sealed`; "" for any other text."""
    try:
        decrypted = jwe.decrypt_compact(value, _seal(session_id, "handed_over"))
    except (JoseError, ValueError):
        return ""
    return (decrypted.plaintext or b"").decode()


def _seal(session_id: str, purpose: str) -> OctKey:
    """Derive a session's key for a purpose; the stored hash of the id does not reveal it."""
    return OctKey.import_key(hmac.digest(session_id.encode(), purpose.encode(), "sha256"))


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()
