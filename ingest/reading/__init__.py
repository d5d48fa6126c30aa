"""Turns a submission into stored entries; pure, in processes that can be killed."""
