#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All that must hold before a change goes in: formatting, the presets release, debug, asan and tsan
# with their tests, clang-tidy. Needs, beyond scripts/packages, Debian 12's clang-format-14,
# clang-tidy-14 and git. "scripts/check.sh STEP..." runs some of the steps: format release debug
# asan tsan tidy.
set -eu
cd "$(dirname "$0")/.."

for tool in clang-format-14 clang-tidy-14 git; do
    command -v "$tool" >/dev/null || {
        echo "scripts/check.sh: $tool is missing; install clang-format-14 clang-tidy-14 git" >&2
        exit 1
    }
done
scripts/install

# Tracked and new files, but not ignored ones.
sources() {
    git ls-files --cached --others --exclude-standard "$@" | sort -u | while read -r file; do
        [ ! -e "$file" ] || echo "$file"
    done
}

build() {
    cmake --preset "$1"
    cmake --build --preset "$1"
}

run() {
    echo "== $1"
    case $1 in
    format) sources '*.c' '*.h' | xargs clang-format-14 --dry-run -Werror ;;
    release | debug | asan | tsan)
        build "$1"
        ctest --preset "$1"
        ;;
    tidy)
        # Only what is built has a line in compile_commands.json.
        build release
        sources '*.c' | while read -r file; do
            ! grep -q "/$file\"" build/release/compile_commands.json || echo "$file"
        done | xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p build/release
        ;;
    *)
        echo "scripts/check.sh: got the step \"$1\", wanted format, release, debug, asan, tsan or tidy" >&2
        exit 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- format release debug asan tsan tidy
for step; do
    run "$step"
done
echo "All checks passed: $*"
