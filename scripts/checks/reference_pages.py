"""Fails when `docs/reference` is stale, or a setting, error or command is undocumented."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    command = [sys.executable, str(ROOT / "scripts" / "generate_reference.py"), "--check"]
    raise SystemExit(subprocess.run(command, check=False).returncode)
