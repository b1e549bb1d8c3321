#!/usr/bin/env bash
# Sends at least 10,000 generated requests (right and wrong ones, made from
# /openapi.json) to one node and fails on any answer of status 500 or above, on a
# request without an answer, and on a panic in the log. Twice: with names made up
# in paths, and on one index that exists, so that requests get further.
# usage: schemathesis.sh BINARY [EXAMPLES PER OPERATION] [SEED]
set -euo pipefail
binary=$(realpath "$1") examples=${2:-25} seed=${3:-1}
key=schemathesis-master-key
tools=$(dirname "$binary")/schemathesis
[ -x "$tools/bin/schemathesis" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check 'schemathesis==4.32.5'; }
dir=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
cd "$dir"
"$binary" --http-addr "127.0.0.1:$port" --db-path "$dir/data" --master-key "$key" >"$dir/log" 2>&1 &
node=$!
trap 'kill $node 2>/dev/null; wait $node 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 200); do
	curl -fs "$url/health" >/dev/null && break
	sleep 0.1
done
ask() { curl -fsS -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "$@" >/dev/null; }
ask -X PATCH "$url/experimental-features" -d '{"editDocumentsByFunction":true,"containsFilter":true,"dynamicSearchRules":true,"network":true,"getTaskDocumentsRoute":true,
	"compositeEmbedders":true,"chatCompletions":true,"multimodal":true,"foreignKeys":true,"renderRoute":true,"metrics":true}'
ask -X PATCH "$url/indexes/movies/settings" -d '{"filterableAttributes":["*"],"sortableAttributes":["*"],"embedders":{"own":{"source":"userProvided","dimensions":2}}}'
ask -X POST "$url/indexes/movies/documents" -d '[{"id":1,"title":"Up","year":2009,"genres":["a","b"],"_geo":{"lat":1,"lng":2},"_vectors":{"own":[0,1]}},{"id":2,"title":"Down"}]'
# Left out: an endless answer, disk space, calls to the outside, the node itself.
run() {
	"$tools/bin/schemathesis" "$@" run "$url/openapi.json" -H "Authorization: Bearer $key" --phases coverage,fuzzing -n "$examples" -w 2 --seed "$seed" \
		--checks not_a_server_error --continue-on-failure --request-timeout 20 --warnings off --no-color \
		--exclude-path-regex '^/(logs/stream|dumps|snapshots|export|cluster/nodes|experimental-features)' >"$dir/part" || true
	tail -n 40 "$dir/part"
	cat "$dir/part" >>"$dir/report"
	# Not the exit status: the tool cannot negate every schema and calls that an error.
	grep -qE '^ *([0-9]+) generated, \1 passed' "$dir/part" || { echo "requests failed"; exit 1; }
	if grep -E 'Network Error|Connection|Timeout' "$dir/part"; then
		exit 1
	fi
}
run
printf '[parameters]\n"path.index_uid" = "movies"\n' >fixed.toml
run --config-file fixed.toml
# The node still answers, and its queue comes to an end.
curl -fs "$url/health" >/dev/null
for _ in $(seq 600); do
	[ "$(curl -fs -H "Authorization: Bearer $key" "$url/tasks?statuses=enqueued,processing&limit=1" | grep -o '"total":[0-9]*')" = '"total":0' ] && break
	sleep 0.2
done
curl -fs -H "Authorization: Bearer $key" "$url/tasks?statuses=enqueued,processing&limit=1" | grep -q '"total":0' || { echo "the queue hangs"; exit 1; }
if grep -n 'panic' "$dir/log"; then
	exit 1
fi
total=$(sed -nE 's/^ *([0-9]+) generated.*/\1/p' "$dir/report" | paste -sd+ | bc)
echo "$total requests"
[ "$total" -ge 10000 ]
