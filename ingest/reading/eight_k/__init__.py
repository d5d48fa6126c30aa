"""Items of current reports (8-K), with the exhibits that belong to them."""

from ingest.reading.eight_k.items import current_report, eight_k_items

__all__ = ["current_report", "eight_k_items"]
