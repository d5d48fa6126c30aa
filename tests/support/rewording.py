"""Templates by which words are indexed or scored otherwise than by those of the checkout."""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.support.engines import CHECKOUT


def templates_without(folder: Path, word: str) -> Path:
    """Return the templates, by which this word is not indexed."""
    stop = {"type": "stop", "stopwords": [word]}
    analyzer = {"tokenizer": "standard", "filter": ["lowercase", "without"]}
    analysis = {"filter": {"without": stop}, "analyzer": {"filing_text": analyzer}}
    return _templates(folder, {"analysis": analysis})


def templates_scoring(folder: Path, **parameters: float) -> Path:
    """Return the templates, by which BM25 has these parameters."""
    return _templates(folder, {"similarity": {"default": {"type": "BM25", **parameters}}})


def _templates(folder: Path, settings: dict[str, Any]) -> Path:
    shutil.copytree(CHECKOUT / "index_templates", folder)
    path = folder / "shared.json"
    shared = json.loads(path.read_text())
    shared["template"]["settings"] |= settings
    path.write_text(json.dumps(shared))
    return folder
