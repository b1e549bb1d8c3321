#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time, one after the other.
set -euo pipefail
time=${1:-10s}
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' . | sort | while read -r file; do
	pkg=./$(dirname "${file#./}")
	grep -oE '^func (Fuzz[A-Za-z0-9_]+)' "$file" | awk '{print $2}' | while read -r target; do
		echo "== $pkg $target"
		CGO_ENABLED=0 go test -tags hashicorpmetrics,grpcnotrace "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "$time"
	done
done
