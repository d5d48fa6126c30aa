"""Spans for OpenTelemetry; without its packages nothing is recorded.

Only this module uses it; its own variables (`OTEL_...`) configure it. No attribute has a query, a
key, or the text of an error, which may quote either.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Literal

from edgar_search.errors import SettingsError
from edgar_search.settings.extras import install_command

try:
    from opentelemetry import propagate, trace
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

Value = str | int | float
SpanKind = Literal["internal", "server", "client"]

_EXPORTERS = "OTEL_TRACES_EXPORTER"
_NONE = ("", "none")
# Exporters whose name in the environment differs from the name of their package.
_NAMES = {"otlp": "otlp_proto_http"}
_LAST_MILLISECONDS = 2_000
# The tracer looks for an exporter when the first span begins, so it may be set up after this line.
_tracer = trace.get_tracer("edgar-search") if INSTALLED else None


class Span:
    """Work that is being recorded; without an exporter the methods do nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add attributes, named by OpenTelemetry's conventions."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        """Rename the span; its name may be known only at the end."""
        if self._span is not None:
            self._span.update_name(name)

    def fail(self, reason: str) -> None:
        """Mark the span as failed; `reason` is a status or the name of an error's class."""
        if self._span is not None:
            self._span.set_attribute("error.type", reason)
            self._span.set_status(trace.StatusCode.ERROR)


_NO_SPAN = nullcontext(Span())


def span(
    name: str,
    attributes: Mapping[str, Value] | None = None,
    *,
    kind: SpanKind = "internal",
    headers: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """Record the work within as a span, below the current one or the one that `headers` name."""
    return _record(name, attributes, kind, headers) if _is_recording() else _NO_SPAN


def _is_recording() -> bool:
    """Return True if spans are exported; installing the packages does not export them."""
    if _tracer is None:
        return False
    if not isinstance(_tracer, trace.ProxyTracer):
        return True
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def _record(
    name: str,
    attributes: Mapping[str, Value] | None,
    kind: SpanKind,
    headers: Mapping[str, str] | None,
) -> Iterator[Span]:
    assert _tracer is not None
    with _tracer.start_as_current_span(
        name,
        context=propagate.extract(headers) if headers else None,
        kind=trace.SpanKind[kind.upper()],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        span = Span(begun)
        try:
            yield span
        except BaseException as error:
            span.fail(type(error).__name__)
            raise


def exporter() -> Callable[[], Any] | None:
    """Find the exporter class that OTEL_TRACES_EXPORTER names; None if it is unset.

    Raises SettingsError if the exporter is not installed.
    """
    named = os.environ.get(_EXPORTERS, "").strip()
    if named in _NONE:
        return None
    if not INSTALLED or find_spec("opentelemetry.sdk") is None:
        raise SettingsError(f"{_EXPORTERS}: run `{install_command('otel')}` first")
    entries = entry_points(group="opentelemetry_traces_exporter", name=_NAMES.get(named, named))
    if not entries:
        raise SettingsError(f"{_EXPORTERS}: no exporter with the name `{named}` is installed")
    exporter_class: Callable[[], Any] = next(iter(entries)).load()
    return exporter_class


def export_spans() -> None:
    """Export this process's spans with that exporter, once.

    Raises as `exporter`.
    """
    make = exporter()
    if make is None:
        return
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(make()))
    trace.set_tracer_provider(provider)


def send_rest() -> None:
    """Send the spans not sent yet, for at most two seconds, before a signal ends the process."""
    flush = getattr(trace.get_tracer_provider(), "force_flush", None) if INSTALLED else None
    if flush is not None:
        flush(_LAST_MILLISECONDS)
