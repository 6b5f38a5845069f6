#!/bin/sh
# Succeeds if Node 20.19 or newer and npm are there; otherwise says what is missing. Node only builds the page.
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    echo "Building the page needs Node 20.19 or newer with npm, and there is none here." >&2
    echo "Install it, or install a wheel of Refdesk, which holds the built page." >&2
    exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    echo "Building the page needs Node 20.19 or newer; this is $(node --version)." >&2
    exit 1
fi
