"""Rows of ownership forms: a module for each family, pure readers of XML as filed."""
