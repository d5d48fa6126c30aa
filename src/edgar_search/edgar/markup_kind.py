"""Whether a document is HTML or plain text, by its first bytes."""

import re

# Markup that EDGAR's plain text does not have; it does have <TABLE>, <S>, <C>, <PAGE>.
_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|div|font|center|p|br|td|tr)[\s/>]", re.IGNORECASE
)
_SNIFFED = 2048


def has_html_tags(body: bytes) -> bool:
    """Whether the first 2,048 bytes of `body` have a tag that plain text never has."""
    return _HTML.search(body, 0, _SNIFFED) is not None
