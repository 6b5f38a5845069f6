"""Where the shared evaluation data lies when it stands beside the clone; without it, tests skip."""

from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"

needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason=f"the shared cases are not at {CASES}")
