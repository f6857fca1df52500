"""Configs made in memory, for tests of the trainer room."""

from __future__ import annotations

from typing import Any

from moelint.read.config import Config, Written
from moelint.text.document import Document, Setting
from moelint.text.source import Source
from moelint.trainer.effective import Effective
from moelint.trainer.target import resolve

DIALECTS = {"bridge": "bridge", "core": "megatron-core", "lm": "megatron-lm-yaml"}


def make(
    trainer: str,
    written: dict[str, Any],
    completeness: str = "complete",
    stated: dict[str, Any] | None = None,
    dialect: str | None = None,
) -> Config:
    document = Document()
    document.source = Source("config.yaml", "")
    config = Config("config", 1, dialect or DIALECTS[trainer], trainer, document)
    config.completeness = completeness
    for key, value in written.items():
        setting = Setting(tuple(key.split(".")), value, str(value), "plain", 0, 0, 0, 0)
        config.written[key] = Written(key, value, key.rsplit(".", 1)[-1], document, setting)
    config.stated = {key: (value, "directive") for key, value in (stated or {}).items()}
    return config


def effective(
    trainer: str,
    written: dict[str, Any],
    completeness: str = "complete",
    stated: dict[str, Any] | None = None,
    dialect: str | None = None,
) -> Effective:
    config = make(trainer, written, completeness, stated, dialect)
    return Effective(config, resolve(config))
