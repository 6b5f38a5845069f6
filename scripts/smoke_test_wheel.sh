#!/usr/bin/env bash
# Installs a wheel into a fresh environment and starts it without Node: smoke_test_wheel.sh dist/refdesk-….whl
set -euo pipefail
wheel=$(realpath "$1")
lock=$(realpath "$(dirname "$0")/../requirements.txt")
python=$("$(dirname "$0")/find_python.sh")
work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then
        kill -INT "$server" 2>/dev/null || true
        wait "$server" || true
    fi
    rm -rf "$work"
}
trap finish EXIT

"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$wheel"

cd "$work"
export PATH="$work/venv/bin:/bin" HOME="$work"
export REFDESK_DATA_DIR="$work/data" REFDESK_HOST=127.0.0.1
REFDESK_PORT=$(python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export REFDESK_PORT
refdesk --version
# Python may come from Node's folder or the reverse, so the names are hidden rather than the folder.
mkdir bin && printf '#!/bin/sh\necho "node was called" >&2\nexit 1\n' | tee bin/node bin/npm >/dev/null && chmod +x bin/*
PATH="$work/bin:$PATH" refdesk serve &
server=$!

python - <<'PYTHON'
import os
import time
import urllib.error
import urllib.request

address = f"http://127.0.0.1:{os.environ['REFDESK_PORT']}"
deadline = time.monotonic() + 60
while True:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=5) as answer:
            print("/readyz", answer.status, answer.read().decode())
            break
    except (urllib.error.URLError, ConnectionError) as error:
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready after 60 s: {error}") from error
        time.sleep(0.2)
with urllib.request.urlopen(address, timeout=5) as answer:
    page = answer.read().decode()
assert "<script" in page, "the wheel does not hold the page"
print("the page:", len(page), "bytes")
PYTHON

kill -INT "$server"
wait "$server"
server=
echo "stopped"
