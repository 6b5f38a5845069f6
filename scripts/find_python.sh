#!/bin/sh
# Prints the path of a Python that can run Refdesk (3.12 or newer, with venv and pip), or says what is missing.
# Every candidate is run, because a pyenv shim exists for versions that are not active and then fails.
# `PYTHON=/path/to/python make install` decides for itself.
set -u

usable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1
}

complete() {
    "$1" -c 'import ensurepip, ssl, venv' >/dev/null 2>&1
}

if [ -n "${PYTHON:-}" ]; then
    candidates=$PYTHON
else
    # The version that the tests run on comes first.
    candidates="python3.12 python3.13 python3.14 python3 python"
    for folder in "${PYENV_ROOT:-$HOME/.pyenv}/versions" "$HOME/.local/share/uv/python" /opt/python /usr/local/opt; do
        for minor in 12 13 14; do
            for found in "$folder"/*3."$minor"*/bin/python3; do
                [ -x "$found" ] && candidates="$candidates $found"
            done
        done
    done
fi

incomplete=""
for candidate in $candidates; do
    path=$(command -v "$candidate" 2>/dev/null) || continue
    usable "$path" || continue
    if complete "$path"; then
        # The interpreter itself and not a shim or link that may point elsewhere tomorrow.
        "$path" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))'
        exit 0
    fi
    incomplete=$path
done

{
    if [ -n "$incomplete" ]; then
        version=$("$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "$incomplete is new enough but lacks the modules venv or ensurepip."
        echo "On Debian and Ubuntu: apt-get install python$version-venv"
    else
        echo "Refdesk needs Python 3.12 or newer, and there is none here."
        echo "Install one (Debian 13, Ubuntu 24.04: apt-get install python3 python3-venv; macOS: brew install python;"
        echo "any system: pyenv install 3.12, or uv python install 3.12), or name one: PYTHON=/path/to/python3 make install"
        found=$(command -v python3 2>/dev/null) && echo "($found is $("$found" --version 2>&1))"
    fi
} >&2
exit 1
