#!/usr/bin/env bash
# The tests, or one notebook that makes an audit, in a new environment with other versions of Python and of libraries.
#
#     tests/supported.sh lowest|newest PYTHON|other tests|smoke
#
# lowest: the lowest versions that pyproject.toml declares. newest: whatever the package index has.
# other: a Python newer than 3.11, if this machine has one.
set -euo pipefail
cd "$(dirname "$0")/.."
versions=$1 interpreter=$2 what=$3
if [[ $interpreter == other ]]; then
    interpreter=
    for each in python3.{14,13,12} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-4].*/bin/python; do
        # A shim of pyenv is there and does not run.
        if "$each" -c '' 2>/dev/null; then interpreter=$each && break; fi
    done
    if [[ -z $interpreter ]]; then
        echo "Skipped: this machine has no Python newer than 3.11, and package indexes hold none."
        exit 0
    fi
fi
uv=${UV:-.venv/bin/uv}
if ! known=$("$interpreter" -c 'import sys; assert sys.version_info >= (3, 11); print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    echo "$interpreter is no Python 3.11 or newer. Name one: make test-python PYTHON=/path/to/python3.13" >&2
    exit 2
fi
resolution=$([[ $versions == lowest ]] && echo lowest-direct || echo highest)
extras=$([[ $what == tests ]] && echo '[test]' || echo '')
folder=build/$versions-$known-$what
export UV_SYSTEM_CERTS=1  # as pip does
"$uv" venv --quiet --clear --python "$interpreter" "$folder"
"$uv" pip install --quiet --python "$folder/bin/python" --resolution "$resolution" --editable ".$extras"
echo "Python $known with the $versions versions, $what:"
if [[ $what == tests ]]; then
    "$folder/bin/python" -m pytest
else
    cd "$folder" && bin/anova-report run audit --quiet
    echo "a notebook ran, and made an audit"
fi
