"""Random HTML that looks like EDGAR's."""

import random


class HtmlWriter:
    """HTML as EDGAR has it: blocks, tables, lists, formatting, odd attributes, hidden parts."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def page(self) -> str:
        """Return the next document."""
        head = self._source.choice(["", "<head><title>T x</title></head>", "<head></head>\n"])
        return f"<html>{head}<body>{self._blocks(0)}</body></html>"

    def _blocks(self, depth: int) -> str:
        kinds = [self._block, self._paragraph, self._table, self._list, self._hidden, self._inline]
        pieces = [self._source.choice(kinds)(depth) for _ in range(self._source.randrange(1, 5))]
        return self._source.choice(["", "\n", " ", "\r\n\r\n"]).join(pieces)

    def _block(self, depth: int) -> str:
        name = self._source.choice(["div", "center", "blockquote", "DIV", "dl"])
        inside = self._blocks(depth + 1) if depth < 3 else self._inline(depth)
        return self._element(name, inside)

    def _paragraph(self, depth: int) -> str:
        return self._element(self._source.choice(["p", "P", "h1", "h5"]), self._inline(depth))

    def _table(self, depth: int) -> str:
        rows = []
        for _ in range(self._source.randrange(1, 4)):
            cells = [
                self._element(
                    self._source.choice(["td", "th", "TD"]),
                    self._blocks(depth + 2) if depth < 2 else self._inline(depth),
                )
                for _ in range(self._source.randrange(1, 4))
            ]
            rows.append(self._element("tr", self._source.choice(["", "\n"]).join(cells)))
        return self._element("table", "\n".join(rows))

    def _list(self, depth: int) -> str:
        items = [self._element("li", self._inline(depth)) for _ in range(3)]
        return self._element("ul", "".join(items))

    def _hidden(self, depth: int) -> str:
        hidden = self._source.choice(
            ["<div style='display:none'>{}</div>", '<ix:header a="b">{}</ix:header>', "<!-- {} -->"]
        )
        return hidden.format("secret") + self._paragraph(depth)

    def _inline(self, depth: int) -> str:
        pieces = []
        for _ in range(self._source.randrange(1, 6)):
            text = self._source.choice(
                [
                    "moss",
                    "fern ",
                    " 17",
                    "a&amp;b",
                    "&nbsp;",
                    "caf\u00e9",
                    "\n",
                    "<br>",
                    "<img a=b>",
                ]
            )
            names = ["b", "font", "FONT", "a", "sup", "sub", "ix:nonfraction", "u", "", "span"]
            name = self._source.choice(names)
            if name == "span":
                style = self._source.choice(["vertical-align:super", "position:relative;top:-3pt"])
                pieces.append(f'<span style="{style}"><b>{text}</b></span>')
            else:
                pieces.append(self._element(name, text) if name else text)
        return "".join(pieces)

    def _element(self, name: str, inside: str) -> str:
        attributes = self._source.choice(
            [
                "",
                " a=b",
                ' style="color: red"',
                " x='1' y",
                "\nalign=right",
                ' t="it\'s" ',
                " nowrap",
            ]
        )
        return f"<{name}{attributes}>{inside}</{name}>"
