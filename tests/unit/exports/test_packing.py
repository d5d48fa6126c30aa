"""Archives that are made while they are sent, read by the standard library."""

import io
import random
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from edgar_search.web.edgar.packing import TarGzip, ZipStream

MOMENT = datetime(2024, 2, 29, 13, 30, 58, tzinfo=UTC)


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip of these members."""
    with ZipStream(MOMENT) as packed:
        return b"".join([*(packed.member(*each) for each in members.items()), *packed.end()])


def test_a_zip_has_its_members() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    members = {f"CIK{n:010}é.json": chance.randbytes(chance.randint(0, 300)) for n in range(40)}
    data = zipped(members)
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() is None
        assert {name: read.read(name) for name in read.namelist()} == members
        assert read.infolist()[0].date_time == (2024, 2, 29, 13, 30, 58)


def test_a_zip_of_many_members_has_their_number_in_zip64() -> None:
    names = {f"{number}": b"" for number in range(70_000)}
    with zipfile.ZipFile(io.BytesIO(zipped(names))) as read:
        assert len(read.namelist()) == 70_000


def test_a_zip_beyond_four_gigabytes_says_where_its_members_are(tmp_path: Path) -> None:
    with ZipStream(MOMENT) as packed:
        packed._sent = before = 2**32 + 5
        data = packed.member("late", b"here")
        end = b"".join(packed.end())

    file = tmp_path / "large.zip"
    with file.open("wb") as sparse:
        sparse.seek(before)
        sparse.write(data + end)
    with zipfile.ZipFile(file) as read:
        assert read.read("late") == b"here"


def test_a_tar_has_its_members() -> None:
    packed = TarGzip()
    members = {"a.nc": [b"x" * 500, b"", b"y" * 12], "b.txt": [], "c.nc": [b"z" * 1000]}
    pieces = [
        piece
        for name, chunks in members.items()
        for piece in packed.member(name, sum(map(len, chunks)), MOMENT, chunks)
    ]
    data = b"".join([*pieces, packed.end()])
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as read:
        found = {getmember.name: read.extractfile(getmember) for getmember in read.getmembers()}
        contents = {name: file.read() for name, file in found.items() if file}
        assert contents == {name: b"".join(chunks) for name, chunks in members.items()}
        assert read.getmember("a.nc").mtime == MOMENT.timestamp()
