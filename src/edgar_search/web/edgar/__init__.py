"""EDGAR's own interfaces, answered from what is loaded here."""
