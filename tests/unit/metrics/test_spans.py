"""Spans if OpenTelemetry is not installed, and if they cannot be sent."""

import subprocess
import sys

import pytest

from edgar_search.errors import SettingsError
from edgar_search.metrics.spans import export_spans, span
from tests.support.spans import KeptSpans, trouble

WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from edgar_search.errors import SettingsError
from edgar_search.metrics import spans
import edgar_search.app, ingest.cli
assert not spans.INSTALLED
with spans.span("one", {"a": 1}, kind="server", headers={"traceparent": "x"}) as made:
    made.note({"b": 2})
    made.rename("two")
    made.fail("three")
spans.export_spans()
import os
os.environ["OTEL_TRACES_EXPORTER"] = "otlp"
try:
    spans.export_spans()
except SettingsError as error:
    print(error)
"""

UNTOLD = """
from edgar_search.metrics.spans import span
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
with span("before", {"a": 1}) as made:
    made.note({"b": 2})
    assert trace.get_current_span() is trace.INVALID_SPAN
kept, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
with span("later"):
    pass
print([each.name for each in kept.get_finished_spans()])
"""


def test_without_opentelemetry_nothing_is_said_and_nothing_fails() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout == (
        f"OTEL_TRACES_EXPORTER: run `{sys.executable} -m pip install 'edgar-search[otel]'` first\n"
    )


def test_exporter_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "pigeon")
    with pytest.raises(
        SettingsError,
        match="^OTEL_TRACES_EXPORTER: no exporter with the name `pigeon` is installed$",
    ):
        export_spans()


def test_error_inside_is_named_and_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptSpans(monkeypatch)
    with pytest.raises(ValueError), span("work"):
        raise ValueError("hush")
    (made,) = kept.all
    assert trouble(made) == "ValueError"
    assert "hush" not in made.to_json()


def test_packages_alone_make_no_span_until_somebody_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNTOLD], capture_output=True, text=True, timeout=60
    )
    assert (done.stderr, done.stdout) == ("", "['later']\n")
