"""Containers of submissions: every member, or a damage that is reported by name."""

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from edgar_search.errors import EdgarSearchError
from ingest.sources.paths import Sources
from ingest.sources.source import open_submission, read, release

# Content that does not shrink, so that a cut falls anywhere in a compressed archive too.
FILES = {f"000999000{n}-24-00000{n}.nc": random.Random(n).randbytes(4000 * n) for n in range(1, 6)}
Entry = tuple[str, bytes]


def tar(files: dict[str, bytes], kind: int = tarfile.GNU_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=kind) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


@pytest.fixture
def entries(tmp_path: Path) -> Callable[..., tuple[list[Entry], list[str]]]:
    """Reads a container: its members, and the reasons for what cannot be read."""

    def read_all(data: bytes, limit: int = 10**9) -> tuple[list[Entry], list[str]]:
        path = tmp_path / "feed"
        path.write_bytes(data)
        members, refusals = [], []
        with Sources([path], tmp_path / "home", limit=limit) as sources:
            for source in sources:
                shown = source.name.removeprefix(f"{tmp_path}/")
                if source.refusal is None:
                    members.append((shown, read(source)))
                    release(source)
                else:
                    refusals.append(f"{shown}: {source.refusal}")
        return members, refusals

    return read_all


Entries = Callable[..., tuple[list[Entry], list[str]]]
EXPECTED = [(f"feed!{name}", content) for name, content in FILES.items()]


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_members_of_a_tar_in_its_order(entries: Entries, kind: int) -> None:
    assert entries(tar(FILES, kind)) == (EXPECTED, [])


def test_members_of_a_compressed_tar(entries: Entries) -> None:
    assert entries(gzip.compress(tar(FILES))) == (EXPECTED, [])


def test_members_of_a_zip(entries: Entries) -> None:
    assert entries(zipped(FILES)) == (EXPECTED, [])


def test_compressed_member_is_unpacked(entries: Entries) -> None:
    packed = {f"{name}.gz": gzip.compress(content) for name, content in FILES.items()}
    members, _ = entries(tar(packed))
    assert [content for _, content in members] == list(FILES.values())


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_in_both_forms(entries: Entries, kind: int) -> None:
    name = "folder/" * 30 + "a.nc"
    assert entries(tar({name: b"x"}, kind)) == ([(f"feed!{name}", b"x")], [])


def test_name_that_leads_elsewhere_is_only_text(entries: Entries, tmp_path: Path) -> None:
    hostile = {"../../../evil.txt": b"x", "/etc/evil.txt": b"y", "a\nb\x1b.txt": b"z"}
    members, _ = entries(tar(hostile))
    assert [name for name, _ in members] == [
        "feed!../../../evil.txt",
        "feed!/etc/evil.txt",
        "feed!a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}.txt",
    ]
    assert not list(tmp_path.rglob("evil.txt"))


def test_other_members_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "feed.tar"
    path.write_bytes(tar({"a.nc": b"x", "picture.jpg": b"x", "inner.tar": b"x", "._a.nc": b"x"}))
    with Sources([path], tmp_path) as sources:
        assert [source.name for source in sources] == [f"{path}!a.nc"]
        assert sources.skipped == 3


@pytest.mark.parametrize("packed", [False, True])
def test_tar_cut_anywhere_is_reported_with_what_was_read(entries: Entries, packed: bool) -> None:
    whole = gzip.compress(tar(FILES)) if packed else tar(FILES)
    end = len(whole) - 1 if packed else len(tar(FILES).rstrip(b"\0")) + 511
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    # Less than its first header, or the first block of its compressor, is not known to be a tar.
    for cut in random.Random(seed).sample(range(8000, end), 40):
        members, refusals = entries(whole[:cut])
        assert members == EXPECTED[: len(members)]
        (reason,) = refusals
        assert reason.startswith(f"feed: the archive is damaged after {len(members)} submissions: ")


def test_tar_cut_between_members_is_damaged(entries: Entries) -> None:
    whole = tar({name: FILES[name] for name in list(FILES)[:2]})
    cut = whole[: len(whole.rstrip(b"\0")) // 512 * 512 + 512]
    members, refusals = entries(cut)
    assert members == EXPECTED[:2]
    assert refusals == [
        "feed: the archive is damaged after 2 submissions: it ends without its end marker"
    ]


def test_tar_with_a_damaged_header_is_reported(entries: Entries) -> None:
    whole = tar(FILES)
    second = 512 + -(-len(FILES[list(FILES)[0]]) // 512) * 512
    members, refusals = entries(whole[:second] + b"x" * 512 + whole[second + 512 :])
    assert members == EXPECTED[:1]
    assert [reason[:55] for reason in refusals] == [
        "feed: the archive is damaged after 1 submissions: a mem"
    ]


def header(kind: bytes, size: int, name: str = "a.nc") -> bytes:
    """Return a member's header alone."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, max(size, 0)
    block = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "replace")
    if size >= 0:
        return block
    # Base 256: the only form of a number that can be negative.
    block = (
        block[:124] + b"\xff" * 11 + bytes([256 + size]) + block[136:148] + b" " * 8 + block[156:]
    )
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def pax(attributes: bytes) -> bytes:
    """Return a header with attributes of the next member, as they are."""
    return header(tarfile.XHDTYPE, len(attributes)) + attributes + bytes(-len(attributes) % 512)


def attribute(name: str, value: str) -> bytes:
    length = len(name) + len(value) + 3
    length += len(str(length + len(str(length))))
    return f"{length} {name}={value}\n".encode()


@pytest.mark.parametrize(
    ("hostile", "reason"),
    [
        (header(tarfile.REGTYPE, -1) + bytes(512), "a member has a negative size"),
        (pax(attribute("size", "-1024")) + header(tarfile.REGTYPE, 0), "attributes are damaged"),
        (pax(attribute("size", "1" * 5_000)) + header(tarfile.REGTYPE, 0), "are damaged"),
        (pax(attribute("size", "many")) + header(tarfile.REGTYPE, 0), "attributes are damaged"),
        (header(tarfile.REGTYPE, 2**80), "cut off inside of a member"),
        (header(tarfile.DIRTYPE, 0) + header(b"?", 2**80), "cut off inside of a member"),
        (header(tarfile.GNUTYPE_LONGNAME, 10**12), "name is longer than any name"),
        (header(tarfile.XHDTYPE, 10**12), "name is longer than any name"),
        (pax(b"no attributes" * 9) + bytes(512), "attributes are damaged"),
        ((header(tarfile.GNUTYPE_LONGNAME, 1) + b"a" + bytes(511)) * 5_000, "without its end"),
        # Some versions of Python's own reader take minutes for this.
        (pax(b"1" * 900_000), "attributes are damaged"),
    ],
)
def test_hostile_member_ends_the_tar_and_is_reported(
    entries: Entries, hostile: bytes, reason: str
) -> None:
    first = tar({"first.nc": b"x"})[:1024]
    members, refusals = entries(first + hostile)
    assert members[0] == ("feed!first.nc", b"x")
    assert len(refusals) == 1
    assert reason in refusals[0]


def test_members_that_are_no_files_and_their_content_are_passed_over(entries: Entries) -> None:
    comment = attribute("comment", "of all members")
    hostile = attribute("path", "other.nc")
    others = [
        header(tarfile.XGLTYPE, len(comment)) + comment + bytes(-len(comment) % 512),
        header(tarfile.XGLTYPE, len(hostile)) + hostile + bytes(-len(hostile) % 512),
        header(tarfile.SYMTYPE, 0),
        header(tarfile.LNKTYPE, 0),
        header(tarfile.CHRTYPE, 0),
        header(b"?", 3) + b"abc" + bytes(509),
    ]
    assert entries(b"".join(others) + tar({"a.nc": b"x"})) == ([("feed!a.nc", b"x")], [])


def test_gzip_checksum_behind_the_end_is_compared(entries: Entries) -> None:
    whole = bytearray(gzip.compress(tar(FILES)))
    whole[-6] ^= 0xFF
    members, refusals = entries(bytes(whole))
    assert members == EXPECTED
    assert refusals[0].startswith("feed: the archive is damaged after 5 submissions: the gzip data")


def test_damaged_member_of_a_zip_concerns_no_other(entries: Entries) -> None:
    whole = bytearray(zipped(FILES))
    name = list(FILES)[1].encode()
    at = whole.index(name) + len(name) + 5
    whole[at : at + 10] = bytes(10)
    members, refusals = entries(bytes(whole))
    assert members == [EXPECTED[0], *EXPECTED[2:]]
    assert refusals[0].startswith(f"feed!{name.decode()}: the member is damaged: ")


def test_zip_without_its_directory_is_damaged(entries: Entries) -> None:
    members, refusals = entries(zipped(FILES)[:-30])
    assert members == []
    assert refusals == ["feed: the archive is damaged after 0 submissions: File is not a zip file"]


@pytest.mark.parametrize("pack", [tar, zipped])
def test_member_that_unpacks_to_too_much_is_refused(
    entries: Entries, pack: Callable[[dict[str, bytes]], bytes]
) -> None:
    members, refusals = entries(pack({"bomb.nc": bytes(5_000_000), **FILES}), 3_000_000)
    assert members == EXPECTED
    assert refusals == ["feed!bomb.nc: it has more than 3000000 bytes unpacked"]


def test_file_that_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "bomb.nc.gz").write_bytes(gzip.compress(bytes(5_000_000)))
    (source,) = Sources([tmp_path / "bomb.nc.gz"])
    with pytest.raises(OSError, match="more than 3000000 bytes"):
        with open_submission(source, str(tmp_path / "spool"), 3_000_000):
            pass


def test_archives_of_a_folder_are_opened_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(tar({"x.nc": b"x"})))
    (tmp_path / "a.txt").write_bytes(b"a")
    (tmp_path / "c.zip").write_bytes(zipped({"z.txt": b"z"}))
    with Sources([tmp_path], tmp_path) as sources:
        names = [source.name.removeprefix(f"{tmp_path}/") for source in sources]
    assert names == ["a.txt", "b.tar.gz!x.nc", "c.zip!z.txt"]


class Dripping:
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1, /) -> bytes:
        return self._data.read(min(size, 7) if size >= 0 else 7)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (tar(FILES), [(f"-!{name}", content) for name, content in FILES.items()]),
        (gzip.compress(tar(FILES)), [(f"-!{name}", content) for name, content in FILES.items()]),
        (zipped(FILES), [(f"-!{name}", content) for name, content in FILES.items()]),
        (b"one submission", [("-", b"one submission")]),
        (gzip.compress(b"one submission"), [("-", b"one submission")]),
    ],
)
def test_standard_input_is_any_of_these(tmp_path: Path, data: bytes, expected: list[Entry]) -> None:
    stream = cast("BinaryIO", Dripping(data))
    with Sources([Path("-")], tmp_path, stdin=stream) as sources:
        assert [(source.name, read(source)) for source in sources] == expected


def test_copies_go_with_the_run_and_those_of_a_killed_run_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "feed.tar"
    path.write_bytes(tar(FILES))
    left_over = tmp_path / "home" / "spool" / "run-killed"
    left_over.mkdir(parents=True)
    (left_over / "lock").touch()
    with Sources([path], tmp_path / "home") as first, Sources([path], tmp_path / "home") as second:
        kept = next(iter(first))
        other = next(iter(second))
        assert (read(kept), read(other)) == (FILES[list(FILES)[0]],) * 2
        assert not left_over.exists()
    assert list((tmp_path / "home" / "spool").iterdir()) == []


def test_full_disk_is_an_error_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "feed.tar"
    path.write_bytes(tar(FILES))
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(EdgarSearchError, match="cannot be written: Not a directory"):
        list(Sources([path], tmp_path / "home"))


def test_real_submissions_come_out_of_every_archive_as_they_went_in(
    corpus: Path, entries: Entries
) -> None:
    paths = sorted((corpus / "filings").glob("*.gz"))[::29]
    files = {path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()) for path in paths}
    expected = [(f"feed!{name}", content) for name, content in files.items()]
    assert len(expected) > 20
    assert entries(gzip.compress(tar(files), 1)) == (expected, [])
    assert entries(zipped(files)) == (expected, [])
