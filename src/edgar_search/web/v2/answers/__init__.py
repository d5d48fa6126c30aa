"""Replies of Version 2: arrays are never null, dates without a value are; pure."""
