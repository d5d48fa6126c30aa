"""The texts of EDGAR's own XML forms, as the SEC shows them."""

from edgar_search.text.forms.form_text import HOLDINGS, form_text
from edgar_search.text.forms.lines import FormText

__all__ = ["HOLDINGS", "FormText", "form_text"]
