"""The files after the paths that a load was given."""

import os
import socket
from pathlib import Path
from threading import Thread

import pytest

from edgar_search.errors import SettingsError
from ingest.sources.paths import Sources, accession_in_name, is_submission_name


def names(sources: Sources) -> list[str]:
    return [source.name.rpartition("/")[2] for source in sources]


def test_folder_gives_its_files_by_name_and_txt_before_nc(tmp_path: Path) -> None:
    for name in ("b.txt", "a.nc", "a.txt.gz", "c.nc.gz"):
        (tmp_path / name).touch()
    assert names(Sources([tmp_path])) == ["a.txt.gz", "a.nc", "b.txt", "c.nc.gz"]


def test_other_files_of_a_folder_are_counted_as_skipped(tmp_path: Path) -> None:
    for name in ("a.txt", "manifest.jsonl", "picture.jpg"):
        (tmp_path / name).touch()
    sources = Sources([tmp_path])
    assert (names(sources), sources.skipped) == (["a.txt"], 2)


def test_pipes_and_sockets_of_a_folder_are_skipped_without_waiting(tmp_path: Path) -> None:
    for name in ("a.txt", "b.tar"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "linked.zip").symlink_to("/dev/zero")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "c.txt"))
        sources = Sources([tmp_path])
        assert (names(sources), sources.skipped) == (["gone.txt"], 4)


def test_pipe_that_is_named_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = Thread(target=pipe.write_bytes, args=(b"<SEC-DOCUMENT>",))
    writing.start()
    with Sources([pipe], tmp_path) as sources:
        (source,) = sources
        assert Path(source.path).read_bytes() == b"<SEC-DOCUMENT>"
    writing.join()


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "a.txt").touch()
    (tmp_path / ".b.txt").touch()
    assert names(Sources([tmp_path])) == []


def test_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "picture.jpg"
    path.touch()
    assert names(Sources([path, path])) == ["picture.jpg", "picture.jpg"]


def test_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        Sources([tmp_path / "nowhere"])
    assert str(caught.value) == f"{tmp_path / 'nowhere'}: no such file or folder"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("0000320193-24-000123.txt", True),
        ("full-submission.txt", True),
        ("0000320193-24-000123.nc.gz", True),
        ("rate-exceeded.html", True),
        ("0000320193-24-000123.0123456789abcdef.gz", True),
        ("00003\N{ARABIC-INDIC DIGIT TWO}0193-24-000123.0123456789abcdef.gz", False),
        ("manifest.jsonl", False),
        ("notes.gz", False),
        (".hidden.txt", False),
    ],
)
def test_submissions_are_known_by_their_names(name: str, expected: bool) -> None:
    assert is_submission_name(name) is expected


def test_accession_number_in_a_name_is_a_guess() -> None:
    assert accession_in_name("0000320193-24-000123.txt.gz") == "0000320193-24-000123"
    assert accession_in_name("full-submission.txt") is None
    assert accession_in_name("00003\N{ARABIC-INDIC DIGIT TWO}0193-24-000123.txt") is None
