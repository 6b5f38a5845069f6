#!/bin/sh
# Prints the path of a Chromium for the browser tests; on Debian, as root, installs it first if there is none.
set -u
look() {
    for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
        command -v "$name" && exit 0
    done
}
look
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >&2
    look
fi
echo "The browser tests need Chromium (Debian: apt-get install chromium), or its path in CHROMIUM." >&2
exit 1
