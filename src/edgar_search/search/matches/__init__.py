"""Every match of a query in one document: where it is, and what stands around it.

A match is a place of a leaf that is wanted: a word or one of its forms, a word that a wildcard
stands for, a phrase, and of a loose phrase each window that has no smaller one in it. Matches may
overlap; a place counts once, however many leaves it shows.
"""

from edgar_search.search.matches.document import Match, matches_of
from edgar_search.search.matches.page import MatchPage, ShownMatch, match_page, shown_matches

__all__ = ["Match", "MatchPage", "ShownMatch", "match_page", "matches_of", "shown_matches"]
