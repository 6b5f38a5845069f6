"""Fixtures of the tests with real processes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.platform.serving import Served


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Makes `Served` objects on `tmp_path/data` unless told otherwise; all are ended after the test."""
    made: list[Served] = []

    def make(**options: Any) -> Served:
        options.setdefault("data_dir", tmp_path / "data")
        options.setdefault("log", tmp_path / f"serve-{len(made)}.log")
        served = Served(**options)
        made.append(served)
        return served

    yield make
    for served in made:
        served.end()
