"""The text of a Word document (`.docx`): paragraphs, and footnotes where they are cited.

A document is a zip of XML, and may be hostile: nothing is unpacked beyond `MOST_BYTES`, whatever
sizes the zip declares, a zip of very many files is not opened, and no entity is declared or
expanded.
"""

import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from types import MappingProxyType
from xml.parsers import expat

# XML bytes of one file: a text of 200,000 characters takes 2 MB, and somewhat more with revisions.
MOST_BYTES = 20_000_000
# A document has dozens of files, one for each picture. Each entry of the zip's list begins so.
_MOST_FILES, _FILE = 5_000, b"PK\x01\x02"
_AT_ONCE = 65_536
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BODY, _NOTES = "word/document.xml", "word/footnotes.xml"
# Word's paragraph styles for block quotes.
_QUOTES = ("Quote", "IntenseQuote", "BlockText")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class NotWord(ValueError):
    """The bytes are not a Word document, or form a hostile one; the message says which."""


def is_word(data: bytes) -> bool:
    """Return True if the bytes begin like a zip."""
    return data.startswith(b"PK\x03\x04")


def file_text(data: bytes, most: int) -> str:
    """Return the text of a file, a Word document or a text in UTF-8; raises NotWord.

    At most slightly more than `most` characters of a Word document are read.
    """
    if is_word(data):
        return word_text(data, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotWord("it is neither a text in UTF-8 nor a Word document (.docx)") from None


def word_text(data: bytes, most: int) -> str:
    """Return the text of a document, with block quotes as in Markdown and footnotes where cited.

    At most slightly more than `most` characters are read. Raises NotWord.
    """
    if data.count(_FILE) > _MOST_FILES:
        raise NotWord(f"it is a zip of more than {_MOST_FILES:,} files")
    try:
        with zipfile.ZipFile(BytesIO(data)) as file:
            notes = _Reader(most).read(file, _NOTES) if _NOTES in file.namelist() else None
            return _Reader(most, notes.notes if notes else _NOTHING).read(file, _BODY).text
    except KeyError:
        raise NotWord("it is a zip without the text of a Word document") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        raise NotWord("it is a broken or encrypted zip") from None
    except expat.ExpatError:
        raise NotWord("its text is not XML") from None


class _Reader:
    """Collects the text of one file of the zip while it is unpacked."""

    def __init__(self, most: int, notes: Mapping[str, str] = _NOTHING) -> None:
        self.notes: dict[str, str] = {}
        self._most, self._cited = most, notes
        self._pieces: list[str] = []
        self._length = 0
        self._in_text = False
        self._note, self._begun = "", 0

    @property
    def text(self) -> str:
        return "".join(self._pieces).strip()

    def read(self, file: zipfile.ZipFile, name: str) -> "_Reader":
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        size = 0
        with file.open(name) as part:
            while self._length <= self._most and (piece := part.read(_AT_ONCE)):
                size += len(piece)
                if size > MOST_BYTES:
                    raise NotWord(f"its text has more than {MOST_BYTES:,} bytes of XML")
                parser.Parse(piece)
        return self

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.removeprefix(_W)
        if tag == "t":
            self._in_text = True
        elif tag == "tab":
            self._add("\t")
        elif tag in ("br", "cr"):
            self._add("\n")
        elif tag == "pStyle" and attributes.get(f"{_W}val") in _QUOTES:
            self._add("> ")
        elif tag == "footnoteReference":
            note = self._cited.get(attributes.get(f"{_W}id", ""), "")
            self._add(f" ({note})" if note else "")
        elif tag == "footnote":
            self._note, self._begun = attributes.get(f"{_W}id", ""), len(self._pieces)

    def _end(self, name: str) -> None:
        tag = name.removeprefix(_W)
        if tag == "t":
            self._in_text = False
        elif tag == "p":
            self._add("\n\n")
        elif tag == "footnote":
            self.notes[self._note] = " ".join("".join(self._pieces[self._begun :]).split())

    def _characters(self, text: str) -> None:
        if self._in_text:
            self._add(text)

    def _refuse(self, *_: object) -> None:
        raise NotWord("its XML declares a document type")
