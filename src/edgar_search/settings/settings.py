"""Settings: one frozen value, created once by a command and passed down.

Each field is read from the environment variable `EDGAR_SEARCH_<NAME>`; a test ensures that
`docs/settings.md` has a line for each.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, inspect

from edgar_search.errors import SettingsError
from edgar_search.settings import issuer
from edgar_search.settings.values import (
    NO_PROXIES,
    ArchivePlace,
    archive_place,
    es_addresses,
    shards_of,
    trusted_networks,
)


def describe_expected(struct: type[Struct], name: str) -> str:
    """Describe the allowed values of the field `name`, such as `a whole number from 0 to 9999`.

    A text with a pattern needs a `description` of its form.
    """
    (field,) = (known for known in inspect.type_info(struct).fields if known.name == name)  # type: ignore[attr-defined]
    return _describe(field.type)


def _describe(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.UnionType):
        return next(
            _describe(member) for member in kind.types if not isinstance(member, inspect.NoneType)
        )
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra_json_schema or {})["description"])
    if isinstance(kind, inspect.BoolType):
        return "true or false"
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(map(str, kind.values))
    if isinstance(kind, inspect.IntType):
        return "a whole number" + _bounds(kind)
    if isinstance(kind, inspect.FloatType):
        return "a number" + _bounds(kind)
    raise TypeError(f"no words for {kind}")


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    low = "" if kind.ge is None else f" from {kind.ge:g}"
    if kind.gt is not None:
        low = f" above {kind.gt:g}"
    if kind.le is None:
        return low + (" on" if kind.ge is not None else "")
    return f"{low} to {kind.le:g}" if kind.gt is None else f"{low}, {kind.le:g} at most"


# Elasticsearch allows only lower case in index names; other marks would clash with ours.
_PREFIX_FORM = "a small letter, then small letters, digits, _ and -, 60 characters at most"
Prefix = Annotated[
    str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z", max_length=60, description=_PREFIX_FORM)
]
HeapSize = Annotated[
    str,
    Meta(pattern=r"^[1-9][0-9]*[mg]\Z", description="a number and m or g, such as 512m or 4g"),
]
EdgarAddress = Annotated[
    str,
    Meta(pattern=r"^https?://[^/?#]+\Z", description="http:// or https:// and a host, no path"),
]
RateStorage = Annotated[
    str,
    Meta(
        pattern=r"^(memory|rediss?://.+)\Z",
        description="memory, or redis://HOST:PORT/DB, or rediss://HOST:PORT/DB",
    ),
]
MetricsToken = Annotated[
    str,
    Meta(
        min_length=16,
        pattern=r"^[!-~]+\Z",
        description="16 characters of ASCII or more, without spaces",
    ),
]

SecretsKey = Annotated[
    str,
    Meta(
        min_length=32,
        pattern=r"^[!-~]+\Z",
        description="32 characters of ASCII or more, without spaces",
    ),
]

MailAddress = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+\Z",
        description="an address such as alerts@example.com, in ASCII",
    ),
]


_log = logging.getLogger(__name__)

VARIABLE_PREFIX = "EDGAR_SEARCH_"
# Constants now. An installation that sets one still starts, and is told that it has no effect.
_FORMER = frozenset(
    "engine_start document_seconds submission_seconds submission_bytes max_text_chars"
    " alerts_interval alerts_lease deliveries_days header_timeout body_timeout body_rate"
    " export_rate".split()
)
Positive = Annotated[int, Meta(ge=1)]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of an installation. Times are in seconds, sizes as their names say."""

    # Locations
    home: Path = Path(".edgar")
    prefix: Prefix = "edgar-"
    partition: Literal["none", "year"] = "none"
    # With an index for each year, filings from before this year share one index.
    partition_from: Annotated[int, Meta(ge=0, le=9999)] = 0
    # Numbers of shards of new indices; empty: as in the templates.
    shards: str = ""
    # New indices of years before this one are compressed more; 0: none.
    compress_before: Annotated[int, Meta(ge=0, le=9999)] = 0

    # Elasticsearch: the addresses of its nodes, comma-separated.
    es_url: str | None = None
    es_api_key: str | None = None
    es_user: str | None = None
    es_password: str | None = None
    # A file with that password, for containers, whose environment can be listed.
    es_password_file: Path | None = None
    es_ca: Path | None = None
    es_timeout: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    es_connections: Positive = 32

    # Backups
    # The name of the snapshot repository in Elasticsearch; None: no backups.
    backup_repository: str | None = None
    # How many days backups are kept.
    backup_days: Positive = 14

    # The embedded engine
    java_home: Path | None = None
    engine_version: Literal["auto", "9.5.4", "9.2.4"] = "auto"
    engine_heap: HeapSize = "1g"
    # Further options for its Java, such as `-XX:TieredStopAtLevel=1`.
    engine_java_options: str = ""
    # Its port on 127.0.0.1; 0: one from 20000 to 29999, made from the folder.
    engine_port: Annotated[int, Meta(ge=0, le=65535)] = 0
    # Downloads of the engine; None: <home>/engine/cache. Shared by several homes if set.
    engine_cache: Path | None = None

    # Search
    max_window: Positive = 100_000
    # Up to this many matches are also ranked by how near the query's words are; 0: never.
    close_matches: Annotated[int, Meta(ge=0, le=1_000_000)] = 1_000
    # Members of stock indices, for `index_tickers`.
    index_members: Path | None = None
    # Concurrent searches, for all workers together. None: as fits an Elasticsearch on this machine.
    searches: Positive | None = None

    # Load
    archive: bool = True
    # None: the folder `archive` in the home.
    archive_url: str | None = None
    # How long a load waits for an Elasticsearch that is unavailable or overloaded.
    load_patience: Annotated[float, Meta(ge=0, le=86_400)] = 300.0
    # A load stops if a disk that it writes to has fewer free bytes.
    free_bytes: Annotated[int, Meta(ge=0)] = 1_000_000_000
    # Bytes of memory of a worker that reads submissions.
    submission_memory: Annotated[int, Meta(ge=100_000_000)] = 700_000_000

    # EDGAR
    edgar_url: EdgarAddress = "https://www.sec.gov"
    # The host that lists a company's filings.
    edgar_data_url: EdgarAddress = "https://data.sec.gov"
    contact: str | None = None
    # EDGAR allows ten requests a second from one network.
    edgar_rate: Annotated[float, Meta(gt=0, le=10)] = 10.0
    follow_interval: Annotated[float, Meta(ge=1, le=3600)] = 60.0
    # How many days `follow` compares with EDGAR each night; 0: none.
    reconcile_days: Annotated[int, Meta(ge=0, le=20_000)] = 30

    # Access
    plans: str = ""
    default_plan: str = "free"
    plan_changes: str = "none"
    rate_storage: RateStorage = "memory"
    history_months: Positive = 13

    # Alerts
    alerts: bool = True

    # Deliveries of alerts
    # The key that encrypts webhooks' secrets and signs links in mails;
    # without it there are none.
    secrets_key: SecretsKey | None = None
    # This service's address for links in webhooks and mails; None: links lead only to EDGAR.
    service_url: EdgarAddress | None = None
    # Webhooks may also be on a loopback address, with http too.
    webhooks_on_loopback: bool = False
    # The mail server, which needs the next three settings; None: no mail is sent.
    smtp_host: str | None = None
    smtp_port: Annotated[int, Meta(ge=1, le=65535)] = 587
    smtp_tls: Literal["starttls", "tls", "none"] = "starttls"
    # A file with certificates that are trusted for it instead of the system's.
    smtp_ca: Path | None = None
    smtp_user: str | None = None
    smtp_password: str | None = None
    smtp_password_file: Path | None = None
    # The sender of mails.
    mail_from: MailAddress | None = None

    # The event log
    events_days: Annotated[int, Meta(ge=1, le=3650)] = 30

    # Web
    # How many workers share the limits for all of them; set by `serve`.
    workers: Positive = 1
    # Connections to a worker; times in seconds.
    connections: Positive = 1_000
    connections_per_address: Positive = 200
    # Requests a second from one address without a valid key.
    address_rate: Positive = 100
    # Above the 5 s of httpx and the 15 s of aiohttp: a request on a connection that is just being
    # closed here fails.
    keep_alive: Annotated[float, Meta(gt=0, le=3600)] = 20.0
    # How long the service still answers after a stop signal, so that balancers notice that it is
    # not ready.
    drain: Annotated[float, Meta(ge=0, le=3600)] = 5.0
    # Addresses and networks of proxies that are trusted to name the client.
    trusted_proxies: str = NO_PROXIES
    # Requests a second to `/auth/*`, for each user.
    auth_rate: Positive = 20
    # Who may read `/metrics`: no one, this machine, or clients with the token.
    metrics: Literal["none", "loopback", "token"] = "none"
    metrics_token: MetricsToken | None = None
    # The folder of node_exporter's textfile collector, for the metrics of `edgar-ingest`.
    metrics_folder: Path | None = None
    logs: Literal["text", "json"] = "text"
    cors_origins: str = "*"
    auth_cors_origins: str = "none"
    # EDGAR's own interfaces: without a key, for keys only, or off. None: open on a loopback
    # address, and elsewhere only its search, for keys.
    mirror: Literal["off", "open", "keys"] | None = None
    # The folder that `sets write` fills, and whose files /v1/sets/ serves.
    sets_folder: Path | None = None
    # Host names of /mcp, and other sites whose pages may call it, comma-separated.
    mcp_hosts: str = ""
    mcp_origins: str = ""

    # The command line
    # The API key with which `search --url` calls a service.
    key: str | None = None

    # Pages
    # None: the serving command decides by its address; without such a command, off.
    pages: Literal["open", "signed-in", "off"] | None = None
    # The plan of visitors who have not signed in, and how many pages a second one address may read.
    pages_plan: str = "unlimited"
    pages_rate: Positive = 10
    # Accounts whose users may see the status page, comma-separated.
    operators: str = ""
    # A browser must sign in again after this many seconds without a page, and after these in any
    # case.
    session_idle: Annotated[int, Meta(ge=60)] = 43_200
    session_lifetime: Annotated[int, Meta(ge=60)] = 604_800

    # Bearer tokens
    oidc_issuer: str | None = None
    # Comma-separated lists of audiences and algorithms.
    oidc_audience: str | None = None
    oidc_algorithms: str = ",".join(issuer.ASYMMETRIC)
    # The pages as the issuer's client; without a secret it is a public client.
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = None
    # How the client authenticates; None: with its secret if it has one.
    oidc_client_auth: issuer.ClientAuthentication | None = None
    oidc_client_key: Path | None = None
    oidc_scopes: str = "openid profile email"
    # Rules for the issuer's users, about access and plans; see access/tokens/user_rules.py.
    oidc_users: str = ""
    oidc_plans: str = ""
    # The contact for users whom the rules do not admit.
    sign_in_help: str = "the operator of this service"
    local_issuer: bool = False

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings from `environ`; an empty value counts as unset.

        Raises SettingsError, which names the variable, for an unknown name or a wrong value.
        """
        given = {
            name.removeprefix(VARIABLE_PREFIX).lower(): value
            for name, value in environ.items()
            if name.startswith(VARIABLE_PREFIX) and not name.startswith(VARIABLE_PREFIX + "TEST_")
        }
        values = {name: value for name, value in given.items() if value != ""}
        for name in _FORMER & values.keys():
            _log.warning("%s%s is no longer a setting: ignored", VARIABLE_PREFIX, name.upper())
            del values[name]
        for name in values:
            if name not in cls.__struct_fields__:
                raise SettingsError(
                    f"{VARIABLE_PREFIX}{name.upper()} is not a setting of edgar-search"
                )
        settings = _convert(values)
        settings = _read_password(settings, "es_password", settings.es_password_file)
        settings = _read_password(settings, "smtp_password", settings.smtp_password_file)
        shards_of(settings.shards)
        if settings.es_url is not None:
            es_addresses(settings.es_url)
        if settings.archive_url is not None:
            archive_place(settings.archive_url)
        issuer.check_issuer(settings.oidc_issuer, settings.oidc_audience)
        issuer.check_client(
            settings.oidc_client_id,
            settings.oidc_audience,
            settings.oidc_client_secret,
            settings.oidc_client_auth,
            settings.oidc_client_key,
        )
        issuer.check_scopes(settings.oidc_scopes)
        issuer.check_rules(settings.oidc_issuer, settings.oidc_users, settings.oidc_plans)
        issuer.check_operators(settings.operator_accounts)
        issuer.algorithms(settings.oidc_algorithms)
        trusted_networks(settings.trusted_proxies)
        _check_mail(settings)
        if settings.metrics == "token" and settings.metrics_token is None:
            raise SettingsError(
                "EDGAR_SEARCH_METRICS_TOKEN is needed if EDGAR_SEARCH_METRICS is `token`"
            )
        return settings

    @property
    def operator_accounts(self) -> frozenset[str]:
        """The operators' accounts."""
        return frozenset(
            account.strip() for account in self.operators.split(",") if account.strip()
        )

    @property
    def sends_mail(self) -> bool:
        """True if a mail server is set."""
        return self.smtp_host is not None

    @property
    def absolute_home(self) -> Path:
        """`home` as an absolute path, which stays valid if the working directory changes."""
        return self.home.expanduser().resolve()

    @property
    def searches_of_a_worker(self) -> int:
        """The number of searches that a worker may run at once, at least two.

        By default slow searches, which may be a twelfth of these, are half as many as this machine
        has cores, which is fewer than Elasticsearch's search threads.
        """
        in_all = self.searches or (os.cpu_count() or 1) * 6
        return max(2, in_all // self.workers)

    @property
    def archive_place(self) -> ArchivePlace:
        """The location of the archive; raises SettingsError for an unusable address."""
        if self.archive_url is None:
            folder = self.absolute_home / "archive"
            return ArchivePlace(folder, str(folder))
        return archive_place(self.archive_url)


def _convert(values: Mapping[str, str]) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=False, dec_hook=_parse_value)
    except msgspec.ValidationError as error:
        name = str(error).rpartition("$.")[2].rstrip("`")
        raise SettingsError(
            f"{VARIABLE_PREFIX}{name.upper()}: must be {describe_expected(Settings, name)}"
        ) from None


def _check_mail(settings: Settings) -> None:
    """Raise SettingsError if the mail server is not usable as configured."""
    if settings.smtp_host is None:
        return
    for name in ("mail_from", "service_url", "secrets_key"):
        if getattr(settings, name) is None:
            raise SettingsError(
                f"{VARIABLE_PREFIX}{name.upper()} is needed with {VARIABLE_PREFIX}SMTP_HOST"
            )
    if (settings.smtp_user is None) != (settings.smtp_password is None):
        raise SettingsError(
            f"{VARIABLE_PREFIX}SMTP_USER and {VARIABLE_PREFIX}SMTP_PASSWORD go together"
        )
    if settings.smtp_user is not None and settings.smtp_tls == "none":
        raise SettingsError(
            f"{VARIABLE_PREFIX}SMTP_TLS must be starttls or tls with {VARIABLE_PREFIX}SMTP_USER"
        )


def _read_password(settings: Settings, field: str, path: Path | None) -> Settings:
    """Read a password from its file, if one is set."""
    name = f"{VARIABLE_PREFIX}{field.upper()}"
    if path is None:
        return settings
    if getattr(settings, field) is not None:
        raise SettingsError(f"set {name} or {name}_FILE, not both")
    try:
        password = path.read_text().strip()
    except (OSError, ValueError) as error:  # the name has a NUL, or the bytes are no text
        reason = error.strerror if isinstance(error, OSError) else "is not a file of text"
        raise SettingsError(f"{name}_FILE: {path}: {reason}") from None
    if not password:
        raise SettingsError(f"{name}_FILE: {path}: is empty")
    return msgspec.structs.replace(settings, **{field: password})


def _parse_value(kind: type[Any], value: Any) -> Any:
    if kind is Path:
        return Path(value)
    raise NotImplementedError(f"a setting of type {kind} cannot be read")
