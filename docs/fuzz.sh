#!/usr/bin/env bash
# Runs fuzz targets of the project for the given time each, one after the other.
# usage: docs/fuzz.sh [TIME [PART]]
#   TIME  of each target, 10s by default
#   PART  i/n: every n-th target, beginning with the i-th; n runs together have all
# A target that fails writes its input to testdata/fuzz beside it: commit that with the fix,
# since every later test run tries it. The other targets run on; the last line tells which failed.
set -euo pipefail
time=${1:-10s} part=${2:-1/1}
if ! [[ $part =~ ^([0-9]+)/([0-9]+)$ ]] || ((BASH_REMATCH[1] < 1 || BASH_REMATCH[1] > BASH_REMATCH[2])); then
	echo "PART is i/n, with i from 1 to n, as in 3/8; not $part" >&2
	exit 2
fi
first=$((BASH_REMATCH[1] - 1)) step=${BASH_REMATCH[2]}
cd "$(dirname "$0")/.."
mapfile -t targets < <(grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | sed -E 's#/[^/]*:func # #' | LC_ALL=C sort -u)
failed=()
for ((i = first; i < ${#targets[@]}; i += step)); do
	read -r pkg target <<<"${targets[i]}"
	echo "== $pkg $target"
	CGO_ENABLED=0 go test -tags hashicorpmetrics,grpcnotrace "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "$time" || failed+=("$pkg $target")
done
if ((${#failed[@]})); then
	printf 'failed: %s\n' "${failed[@]}" >&2
	exit 1
fi
