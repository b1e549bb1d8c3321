#!/usr/bin/env bash
# Explores the model in full, then wants each planted fault found. Needs spin and a C
# compiler (Debian: apt-get install spin gcc).
set -euo pipefail
command -v spin >/dev/null || { echo "spin is not installed: apt-get install spin" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# explore MACROS... prints the number of states, and fails if an assertion does.
explore() {
	local flags=()
	for macro in "$@"; do flags+=("-D$macro"); done
	rm -f cluster.pml.trail pan*
	spin "${flags[@]}" -a "$here/cluster.pml" >spin.log || { cat spin.log >&2; exit 2; }
	cc -w -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c
	./pan -m3000000 >pan.log
	# A search that was cut short proves nothing.
	if grep -q "max search depth too small\|reached -DMEMLIM\|out of memory" pan.log; then cat pan.log >&2; exit 2; fi
	[ ! -e cluster.pml.trail ]
}

states() { awk '/states, stored/ {print $1}' pan.log; }

for macros in "DRAINS TERMS=4" FORGETS LEASES; do
	if ! explore $macros; then echo "FAILED: $macros"; cat pan.log; exit 1; fi
	echo "holds: $macros ($(states) states)" | tee -a spin.states
done
# The form in Go must reach as many states in each part: cluster-test/model.
(cd "$root" && go test -count=1 -v ./cluster-test/model) >go.log || { cat go.log >&2; exit 1; }
sed -n 's/.*\(holds: .*\)/\1/p' go.log >go.states
diff spin.states go.states || { echo "FAILED: spin and cluster-test/model do not reach the same states" >&2; exit 1; }
echo "the model in Go has as many states, and finds the faults"
for macros in "DRAINS ONE_VOTE" "DRAINS TERMS=4 OLD_TERM" "LEASES SHOW_EARLY" "LEASES LEASE_FORGOT" "FORGETS NO_GUARD" "FORGETS NO_RECALL"; do
	if explore $macros; then echo "NOT FOUND: the planted fault $macros"; exit 1; fi
	if ! grep -q "assertion violated" pan.log; then cat pan.log >&2; exit 2; fi
	echo "found: $macros ($(sed -n 's/^pan:1: \(assertion violated .*\) (at.*/\1/p' pan.log))"
done
