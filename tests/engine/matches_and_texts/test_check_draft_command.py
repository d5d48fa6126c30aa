"""`edgar-search check-draft`."""

import json
import zipfile
from pathlib import Path

import pytest

from edgar_search.cli import main
from edgar_search.settings import Settings
from tests.support.commands import Run, runner
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
NUMBER = "0009991800-21-000001"
FILING = MadeUp(
    NUMBER,
    (MadeUpEntity("0009991801", "KILN CORP"),),
    (MadeUpDocument("The kiln burned for 38 days in the spring of 2020.\n", "10-K", "a.htm"),),
    "10-K",
)


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    load_now(settings, tmp_path_factory.mktemp("files"), {"a.txt": txt(FILING)})


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the installation of the test."""
    return runner(settings, monkeypatch, capsys)


async def test_lines_say_what_differs(run: Run, tmp_path: Path) -> None:
    draft = tmp_path / "memo.md"
    draft.write_text(
        f'# Memo\n\n"burned for 38 days in the spring" ({NUMBER})\n\n'
        f'"burned for 83 days in the spring" ({NUMBER})\n'
    )
    done = await run(main, "check-draft", str(draft))
    assert done.status == 3
    lines = done.output.splitlines()
    assert lines[0] == f'line 3: exact: "burned for 38 days in the spring"; {NUMBER}-1'
    assert lines[2] == (
        f'line 5: altered: "burned for 83 days in the spring"; {NUMBER}-1; `83` is `38`'
    )
    assert done.error == "1 altered, 1 exact, 2 same\n"


async def test_json_and_a_draft_as_filed(run: Run, tmp_path: Path) -> None:
    draft = tmp_path / "memo.txt"
    draft.write_text('They wrote "burned for 38 days in the spring".')
    done = await run(main, "check-draft", str(draft), "--format", "json")
    assert (done.status, json.loads(done.output)["verdict"]) == (0, "exact")
    draft.write_text("Nothing here.")
    done = await run(main, "check-draft", str(draft))
    assert (done.status, done.output, done.error) == (
        0,
        "",
        "no quotes, no citations and no numbers\n",
    )


async def test_a_file_that_cannot_be_checked_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "memo.docx"
    missing = await run(main, "check-draft", str(file))
    assert (missing.status, f"{file}: No such file" in missing.error) == (1, True)
    file.write_bytes(b"%PDF\xff\xfe")
    binary = await run(main, "check-draft", str(file))
    assert (binary.status, "neither a text in UTF-8 nor a Word" in binary.error) == (1, True)
    file.write_text("x" * 200_001)
    long = await run(main, "check-draft", str(file))
    assert (long.status, "has 200,001 characters" in long.error) == (1, True)


async def test_word_document_is_read_with_its_footnotes(run: Run, tmp_path: Path) -> None:
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    with zipfile.ZipFile(tmp_path / "memo.docx", "w") as file:
        file.writestr(
            "word/document.xml",
            f"<w:document {word}><w:p><w:t>“burned for 38 days in the spring”</w:t>"
            '<w:footnoteReference w:id="2"/></w:p></w:document>',
        )
        file.writestr(
            "word/footnotes.xml",
            f'<w:footnotes {word}><w:footnote w:id="2"><w:p><w:t>See {NUMBER}.</w:t></w:p>'
            "</w:footnote></w:footnotes>",
        )
    done = await run(main, "check-draft", str(tmp_path / "memo.docx"))
    assert (done.status, done.error) == (0, "1 exact, 1 same\n")
    assert done.output.startswith("line 1: exact: “burned for 38 days in the spring”")
    (tmp_path / "memo.docx").write_bytes(b"PK\x03\x04 no zip")
    refused = await run(main, "check-draft", str(tmp_path / "memo.docx"))
    assert refused.status == 1
    assert "memo.docx: it is a broken or encrypted zip" in refused.error
