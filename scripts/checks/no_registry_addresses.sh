#!/bin/sh
# No committed file may name the address of a package registry: everyone installs from the one they have set up.
cd "$(dirname "$0")/../.." || exit 2
pattern='(registry\.npmjs\.org|registry\.yarnpkg\.com|registry\.npmmirror\.com|pypi\.org/(simple|packages)|files\.pythonhosted\.org|test\.pypi\.org|deb\.debian\.org|--(extra-)?index-url[= ]+http|"resolved": *"http|^registry *= *http)'
found=$(git ls-files -co --exclude-standard | grep -v '^scripts/checks/no_registry_addresses\.sh$' |
    tr '\n' '\0' | xargs -0 grep -nIE -e "$pattern" 2>/dev/null | cut -c1-160)
if [ -n "$found" ]; then
    echo "registry addresses in committed files:"
    echo "$found"
    exit 1
fi
