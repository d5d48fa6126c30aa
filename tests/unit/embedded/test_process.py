"""The owners of processes, and the messages in a log."""

import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.engine.embedded import process
from edgar_search.engine.embedded.folders import EngineFolders


@pytest.fixture
def engine_like(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with the command line of this folder's engine, past the start of its shell."""
    mark = f"-Epath.data={tmp_path / 'data'}"
    # Two commands, so that the shell stays and keeps its arguments.
    with subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line; :", "sh", mark], stdin=-1, stdout=-1
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        yield running
        running.kill()


def test_own_process_is_found(engine_like: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert not process.has_ended(EngineFolders(tmp_path))
    assert process.launcher(EngineFolders(tmp_path)) == engine_like.pid


def test_process_of_another_folder_is_not(
    engine_like: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert process.all_of(EngineFolders(tmp_path / "da")) == []


def test_ended_process_is_not_found(engine_like: subprocess.Popen[bytes], tmp_path: Path) -> None:
    process.signal_all([engine_like.pid], kill=True)
    os.waitid(os.P_PID, engine_like.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie from here on
    assert process.all_of(EngineFolders(tmp_path)) == []


def test_ended_process_is_signalled_in_vain() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    process.signal_all([ended.pid], kill=False)
    assert ended.returncode == 0


def test_engine_sees_no_key_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_API_KEY", "secret")
    seen = process.environment(Path("/jdk"), EngineFolders(tmp_path), "-Xms1g")
    assert seen == {
        "PATH": os.defpath,
        "HOME": str(tmp_path / "tmp"),
        "LANG": "C.UTF-8",
        "ES_JAVA_HOME": "/jdk",
        "ES_PATH_CONF": str(tmp_path / "config"),
        "ES_TMPDIR": str(tmp_path / "tmp"),
        "ES_JAVA_OPTS": "-Xms1g",
    }


class _Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"cluster_name": "ours", "status": "green"}')

    def log_message(self, format: str, *args: object) -> None:
        """Do nothing."""


@pytest.fixture
def health_url() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), _Health) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_engine_answers_past_any_proxy(health_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert process.answers(health_url, "ours")


def test_another_engine_on_the_port_does_not_count(health_url: str) -> None:
    assert not process.answers(health_url, "theirs")


def test_nothing_on_the_port_does_not_answer() -> None:
    assert not process.answers("http://127.0.0.1:9", "ours")


def test_log_from_the_first_error_on_without_frames_and_information() -> None:
    log = (
        "[2026][INFO ][o.e.n.Node] [vm] JVM arguments [-XX:+HeapDumpOnOutOfMemoryError]\n"
        "[2026][ERROR][o.e.b.Elasticsearch] [vm] fatal exception: BindHttpException\n"
        "\tat org.elasticsearch.http.Bind(Bind.java:1)\n\n"
        "Caused by: java.net.BindException: Permission denied\n"
        "[2026][INFO ][o.e.n.Node] [vm] stopped\n"
    )
    assert process.meaningful(log) == (
        "[2026][ERROR][o.e.b.Elasticsearch] [vm] fatal exception: BindHttpException\n"
        "Caused by: java.net.BindException: Permission denied"
    )


def test_log_without_an_error_is_shown_by_its_end() -> None:
    log = "".join(f"[INFO ] line {number}\n" for number in range(20))
    assert process.meaningful(log).splitlines()[-1] == "[INFO ] line 19"
