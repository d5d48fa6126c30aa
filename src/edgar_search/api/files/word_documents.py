"""Word documents (`.docx`) of texts with underlined words and footnotes; pure.

They have only the parts that Office Open XML (ECMA-376, part 1) requires if there are footnotes.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Literal, NamedTuple, TypeAlias
from xml.sax.saxutils import escape

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
Underline: TypeAlias = Literal["single", "wave", "dotted"]
# Characters that XML does not allow, and line ends of other systems.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# An empty line ends a paragraph; a single line end does not.
_BREAK = re.compile(r"(\n[ \t]*\n\s*|\n|\t)")
_BREAKS = {"\n": "<w:br/>", "\t": "<w:tab/>"}
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_PARTS = ("document", "styles", "footnotes")
_OF_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TYPES = (
    f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + "".join(
        f'<Override PartName="/word/{part}.xml" ContentType="{_OF_WORD}.'
        f'{"document.main" if part == "document" else part}+xml"/>'
        for part in _PARTS
    )
    + "</Types>"
)
_STYLES = (
    f'{_HEAD}<w:styles {_W}><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr>'
    '</w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="276" w:lineRule="auto"/>'
    "</w:pPr></w:pPrDefault></w:docDefaults>"
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
    "</w:style>"
    '<w:style w:type="paragraph" w:styleId="FootnoteText"><w:name w:val="footnote text"/>'
    '<w:basedOn w:val="Normal"/><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/>'
    '</w:pPr><w:rPr><w:sz w:val="18"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>'
    '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>'
)
_MARK = '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
# Notes that Word requires, for the lines that separate notes from the text.
_LINES = "".join(
    f'<w:footnote w:type="{name}" w:id="{number}"><w:p><w:r><w:{name}/></w:r></w:p></w:footnote>'
    for number, name in ((-1, "separator"), (0, "continuationSeparator"))
)


class Run(NamedTuple):
    """A piece of text, its underline's colour, such as `C00000`, and its footnote's lines.

    An empty line within it begins a paragraph.
    """

    text: str
    underline: Underline | None = None
    colour: str = "auto"
    note: Sequence[str] = ()


def word_document(runs: Iterable[Run]) -> bytes:
    """Write a Word document of runs; their footnotes are numbered from 1."""
    body: list[str] = []
    notes: list[str] = []
    for run in runs:
        body += _pieces(run)
        if run.note:
            notes.append(_note(len(notes) + 1, run.note))
            number = f'<w:footnoteReference w:id="{len(notes)}"/>'
            body.append(f"<w:r>{_MARK}{number}</w:r>")
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _relations(["document"], "word/"),
        "word/document.xml": f"{_HEAD}<w:document {_W}><w:body><w:p>{''.join(body)}</w:p>"
        "<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": _relations(_PARTS[1:], ""),
        "word/styles.xml": _STYLES,
        "word/footnotes.xml": f"{_HEAD}<w:footnotes {_W}>{_LINES}{''.join(notes)}</w:footnotes>",
    }
    file_bytes = BytesIO()
    with zipfile.ZipFile(file_bytes, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            # Without a time stamp, so that equal texts give equal files.
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file_bytes.getvalue()


def _relations(parts: Sequence[str], folder: str) -> str:
    elements = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/'
        f'{"officeDocument" if name == "document" else name}" Target="{folder}{name}.xml"/>'
        for number, name in enumerate(parts, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{elements}</Relationships>'


def _pieces(run: Run) -> Iterator[str]:
    """Yield a run's XML, with a new paragraph at each empty line."""
    style = f'<w:u w:val="{run.underline}" w:color="{run.colour}"/>' if run.underline else ""
    style = style and f"<w:rPr>{style}</w:rPr>"
    for piece in _BREAK.split(_NOT_XML.sub("", run.text)):
        if _BREAK.fullmatch(piece) and piece not in _BREAKS:
            yield "</w:p><w:p>"
        elif piece:
            shown = _BREAKS.get(piece) or _text(piece)
            yield f"<w:r>{style}{shown}</w:r>"


def _text(text: str) -> str:
    return f'<w:t xml:space="preserve">{escape(_NOT_XML.sub("", text))}</w:t>'


def _note(number: int, lines: Sequence[str]) -> str:
    style = '<w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>'
    words = "<w:br/>".join(_text(line) for line in lines)
    return (
        f'<w:footnote w:id="{number}"><w:p>{style}<w:r>{_MARK}<w:footnoteRef/></w:r>'
        f'<w:r><w:t xml:space="preserve"> </w:t>{words}</w:r></w:p></w:footnote>'
    )
