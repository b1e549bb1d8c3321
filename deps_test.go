package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layers are our packages from the outside in. A package may import its own
// subpackages, siblings inside one tree only as the trees below say, and
// packages of lower layers: never one of its own layer in another tree, never a
// higher one.
var layers = map[string]int{
	"main": 6, "cluster-test": 6, "node": 5,
	"httpfront": 4, "coordinator": 4, "consensus": 4, "shard": 4,
	"wire": 3, "query": 2, "embed": 2, "text": 1, "api": 1,
}

// outside names the only trees, and packages of others, that may import a library, with the
// reason.
var outside = []struct{ prefix, trees, reason string }{
	{"github.com/cockroachdb/pebble/v2/vfs", "shard consensus node cluster-test wire/ordered", "files come from node/machine"},
	{"github.com/cockroachdb/pebble/", "shard consensus wire/turns", "storage belongs to shards and to the Raft state machine"},
	{"github.com/hashicorp/raft", "consensus", "Raft is hidden behind consensus.Group"},
	{"go.etcd.io/bbolt", "consensus", "the Raft log is consensus's own"},
	{"github.com/hashicorp/memberlist", "node", "gossip nominates members, node owns it"},
	{"github.com/vmihailenco/msgpack", "", "messages are encoded by wire/codec; the library is its twin in tests"},
	{"go.opentelemetry.io/otel/exporters/", "node", "node decides where spans go"},
	{"go.opentelemetry.io/otel/sdk", "node", "node decides where spans go"},
	{"google.golang.org/grpc", "", "messages between nodes are frames of node/peer (docs/adr/0034)"},
	{"github.com/andybalholm/brotli", "httpfront", "content encodings belong to the HTTP front"},
	{"github.com/ikawaha/", "text", "dictionaries are text's own"},
	{"github.com/minio/minio-go/", "coordinator", "S3 is hidden behind bucket.Bucket"},
}

type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listed are the packages as go lists them, once for all tests.
var listed = sync.OnceValues(func() ([]pkg, error) {
	out, err := exec.Command("go", "list", "-tags", "hashicorpmetrics,grpcnotrace", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			return nil, fmt.Errorf("go list: %w\n%s", err, ee.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// tree is the top-level folder of one of our packages.
func tree(path string) string {
	rest, ok := strings.CutPrefix(path, "shoal")
	if !ok {
		return ""
	}
	if rest == "" {
		return "main"
	}
	rest, ok = strings.CutPrefix(rest, "/")
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := tree(p.ImportPath)
		level, ok := layers[from]
		if !ok {
			t.Errorf("%s: folder %s has no layer: give it one in deps_test.go and a paragraph in ARCHITECTURE.md", p.ImportPath, from)
			continue
		}
		for _, imp := range p.Imports {
			to := tree(imp)
			if to == "" {
				checkOutside(t, p.ImportPath, from, imp)
				continue
			}
			if to != from && layers[to] >= level {
				t.Errorf("%s imports %s: declare the interface you need in %s and let node join them", p.ImportPath, imp, p.ImportPath)
			}
			if leaf(p.ImportPath) {
				t.Errorf("%s imports %s: it is a leaf that knows nothing of ours", p.ImportPath, imp)
			}
			checkFloor(t, p.ImportPath, imp)
		}
	}
}

// across are the tests that join packages which otherwise only node joins, each with the
// trees it needs and the reason.
var across = map[string]struct{ trees, reason string }{
	"shoal/coordinator/driver":          {"shard", "the driver ranks over shards: its answers are compared with those of a slow twin"},
	"shoal/coordinator/federated":       {"cluster-test", "several searches over one whole node in this process"},
	"shoal/coordinator/search":          {"shard cluster-test", "a search over one whole node in this process"},
	"shoal/coordinator/backup/dump":     {"cluster-test", "a dump of one whole node in this process"},
	"shoal/coordinator/backup/snapshot": {"shard cluster-test", "a snapshot of one whole node in this process"},
	"shoal/node/link":                   {"cluster-test", "searches of one whole node in this process, over the network"},
	"shoal/node/explain":                {"cluster-test", "explanations of one whole node in this process"},
	"shoal/shard/union":                 {"coordinator cluster-test", "one session over shards answers what the driver finds over them one by one"},
}

// TestImportsOfTestsPointOneWay: tests keep to the same layers as the code that they test,
// except for those in across. An entry of across that is not needed any more is an error
// too.
func TestImportsOfTestsPointOneWay(t *testing.T) {
	needed := map[string]map[string]bool{}
	for _, p := range packages(t) {
		from := tree(p.ImportPath)
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			to := tree(imp)
			if to == "" || to == from || layers[to] < layers[from] {
				continue
			}
			if needed[p.ImportPath] == nil {
				needed[p.ImportPath] = map[string]bool{}
			}
			needed[p.ImportPath][to] = true
			if !slices.Contains(strings.Fields(across[p.ImportPath].trees), to) {
				t.Errorf("tests of %s import %s: test it through its ports, in cluster-test, or give the reason in deps_test.go", p.ImportPath, imp)
			}
		}
	}
	for path, a := range across {
		for _, to := range strings.Fields(a.trees) {
			if !needed[path][to] {
				t.Errorf("deps_test.go lets tests of %s import %s, which they do not", path, to)
			}
		}
	}
}

// floors are the packages of a tree from the ground up: each may import those of
// lower floors only.
var floors = []map[string]int{{
	"shoal/shard/docset": 1, "shoal/shard/rows": 2, "shoal/shard/lexicon": 1, "shoal/shard/symbol": 1, "shoal/shard/element": 2, "shoal/shard/record": 2, "shoal/shard/render": 2,
	"shoal/shard/store": 3, "shoal/shard/vector": 3, "shoal/shard/extract": 3, "shoal/shard/filter": 3, "shoal/shard/facet": 3,
	"shoal/shard/listing": 4, "shoal/shard/memindex": 4, "shoal/shard/scrub": 4,
	"shoal/shard/rank/columns": 4, "shoal/shard/rank/scope": 5, "shoal/shard/rank/rules": 6,
	"shoal/shard/rank/topk": 6, "shoal/shard/rank/byattribute": 6, "shoal/shard/memshard": 6, "shoal/shard/rank": 7,
	"shoal/shard/version": 8, "shoal/shard/session": 8,
	"shoal/shard/shipper": 1, "shoal/shard/attempts": 1, "shoal/shard/gate": 1, "shoal/shard/shipment": 4, "shoal/shard/pending": 4, "shoal/shard/posting": 4, "shoal/shard/damage": 4,
	"shoal/shard/build": 9, "shoal/shard/union": 9, "shoal/shard/columnist": 9, "shoal/shard/codes": 9,
	"shoal/shard": 10,
}, {
	"shoal/coordinator": 1, "shoal/coordinator/fanout": 1, "shoal/coordinator/score": 1,
	"shoal/coordinator/task": 2, "shoal/coordinator/pinning": 2, "shoal/coordinator/coordtest": 2,
	"shoal/coordinator/driver": 3, "shoal/coordinator/ingest": 3, "shoal/coordinator/replica": 3, "shoal/coordinator/placement": 3,
	"shoal/coordinator/merge": 4, "shoal/coordinator/documents": 4, "shoal/coordinator/queue": 4, "shoal/coordinator/search/facets": 4, "shoal/coordinator/search/sources": 4,
	"shoal/coordinator/schedule/fold": 4, "shoal/coordinator/schedule/expiry": 4,
	"shoal/coordinator/search/foreign": 5,
	"shoal/coordinator/admin":          5, "shoal/coordinator/schedule": 5, "shoal/coordinator/chat": 5,
	"shoal/coordinator/search": 6, "shoal/coordinator/federated": 7, "shoal/coordinator/backup/export": 6, "shoal/coordinator/backup/restore": 6,
	"shoal/coordinator/backup/bucket": 5, "shoal/coordinator/backup/repository": 6,
	"shoal/coordinator/backup/dump": 7, "shoal/coordinator/backup/snapshot": 7,
}, {
	"shoal/consensus/entry": 1, "shoal/consensus/raftlog": 1, "shoal/consensus/voters": 1,
	"shoal/consensus/lull": 2, "shoal/consensus/state": 2, "shoal/consensus/transport": 2,
	"shoal/consensus/fsm":   3,
	"shoal/consensus/lease": 4,
	"shoal/consensus":       5,
}, {
	"shoal/httpfront/auth": 1, "shoal/httpfront/coding": 1, "shoal/httpfront/connection": 1, "shoal/httpfront/console": 1, "shoal/httpfront/metrics": 1, "shoal/httpfront/queue": 1,
	"shoal/httpfront/routing": 2,
	"shoal/httpfront/openapi": 3,
	"shoal/httpfront/mcp":     4,
	"shoal/httpfront/search":  4, "shoal/httpfront/indexes": 4, "shoal/httpfront/admin": 4,
	"shoal/httpfront": 5,
}, {
	"shoal/api/jsonvalue": 1,
	"shoal/api/apierr":    2,
	"shoal/api/decode":    3, "shoal/api/payload": 3,
	"shoal/api/settings":  4,
	"shoal/api":           5,
	"shoal/api/parameter": 6,
}, {
	"shoal/node/address": 1, "shoal/node/catchup": 1, "shoal/node/commandline": 1, "shoal/node/completion": 2, "shoal/node/ctl/documents": 1, "shoal/node/closing": 1, "shoal/node/redaction": 1, "shoal/node/ctl": 3, "shoal/node/explain": 1, "shoal/node/gate": 1, "shoal/node/memory": 1, "shoal/node/startup": 1,
	"shoal/node/machine":   2,
	"shoal/node/formation": 3, "shoal/node/peer": 3,
	"shoal/node/poll": 4, "shoal/node/blob": 4, "shoal/node/folder": 4, "shoal/node/gossip": 4, "shoal/node/link": 4, "shoal/node/storage": 4,
	"shoal/node/analytics": 5, "shoal/node/config": 5,
	"shoal/node/observe": 6,
	"shoal/node/view":    7,
	"shoal/node/report":  8,
	"shoal/node":         9,
	"shoal/node/command": 10,
}, {
	"shoal/wire/await": 1, "shoal/wire/codec": 1, "shoal/wire/ordered": 1, "shoal/wire/same": 1, "shoal/wire/span": 1, "shoal/wire/turns": 1,
	"shoal/wire":        2,
	"shoal/wire/staged": 3,
}, {
	"shoal/text/language": 1, "shoal/text/dictionary": 1, "shoal/text/dictionary/source": 2, "shoal/text/dictionary/make": 3, "shoal/text/segment": 2, "shoal/text": 3, "shoal/text/segment/words": 4,
}, {
	"shoal/query/filter": 1, "shoal/query/projection": 1, "shoal/query/script/value": 1,
	"shoal/query": 2, "shoal/query/script/syntax": 2,
	"shoal/query/rule": 3, "shoal/query/script": 3,
}}

// seen names packages that only a few others may import, with what the others use instead.
var seen = map[string]struct{ by, remedy string }{
	"shoal/shard/version":         {"shoal/shard/build shoal/shard/union shoal/shard/columnist shoal/shard/codes shoal/shard", "see a version through a small interface of your own"},
	"shoal/coordinator/coordtest": {"shoal/cluster-test/solo", "fakes are for tests"},
}

func checkFloor(t *testing.T, path, imp string) {
	t.Helper()
	if s, ok := seen[imp]; ok && !strings.Contains(" "+s.by+" ", " "+path+" ") {
		t.Errorf("%s imports %s: %s", path, imp, s.remedy)
	}
	for _, tree := range floors {
		from, inside := tree[path]
		if to, ok := tree[imp]; inside && ok && to >= from {
			t.Errorf("%s (floor %d) imports %s (floor %d): see it through a small interface of your own", path, from, imp, to)
		}
	}
}

// A package that no list of floors names would escape the check.
func TestEveryPackageHasACoverageFloor(t *testing.T) {
	for _, p := range packages(t) {
		for _, rooms := range floors {
			if _, ok := rooms["shoal/"+tree(p.ImportPath)]; ok && rooms[p.ImportPath] == 0 && len(p.GoFiles) > 0 {
				t.Errorf("%s has no floor: give it one in deps_test.go", p.ImportPath)
			}
		}
	}
}

func leaf(path string) bool {
	return path == "shoal/node/closing" || path == "shoal/node/commandline" || path == "shoal/shard/docset" || path == "shoal/wire/await" || path == "shoal/wire/codec" || path == "shoal/wire/ordered" || path == "shoal/wire/same" || path == "shoal/wire/span" || path == "shoal/wire/turns"
}

func checkOutside(t *testing.T, path, from, imp string) {
	t.Helper()
	for _, o := range outside {
		if (imp == strings.TrimSuffix(o.prefix, "/") || strings.HasPrefix(imp, o.prefix)) && !strings.Contains(" "+o.trees+" ", " "+from+" ") &&
			!strings.Contains(" "+o.trees+" ", " "+strings.TrimPrefix(path, "shoal/")+" ") {
			t.Errorf("%s imports %s, which only %s may: %s", path, imp, o.trees, o.reason)
		}
		if imp == o.prefix {
			return // named itself: what is said of the rest does not count
		}
	}
}

func TestEveryPackageHasADocFile(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "shoal" || len(p.GoFiles) == 0 {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.Dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go: say what it owns and where the path enters and leaves", p.ImportPath)
		}
	}
}

func TestFilesStayReadable(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			b, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(b, []byte("\n")); n >= 600 {
				t.Errorf("%s/%s has %d lines: a file is one noun, split it", p.ImportPath, f, n)
			}
			for _, w := range []string{"util", "common", "helper", "manager", "misc"} {
				if strings.Contains(strings.TrimSuffix(f, ".go"), w) {
					t.Errorf("%s/%s: name the noun it holds instead of %q", p.ImportPath, f, w)
				}
			}
		}
	}
}

// These are habits that reviews keep finding.
func TestBannedHabits(t *testing.T) {
	bans := []struct{ text, only, remedy string }{
		{"os.Getenv(", "node cluster-test", "options come from node/command/flags.go"},
		{"os.LookupEnv(", "node cluster-test", "options come from node/command/flags.go"},
		{".Error() == \"", "", "compare errors with errors.Is or errors.As"},
		{"strings.Contains(err.Error()", "", "compare errors with errors.Is or errors.As"},
	}
	for _, p := range packages(t) {
		for _, f := range p.GoFiles {
			b, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			for _, ban := range bans {
				if !strings.Contains(" "+ban.only+" ", " "+tree(p.ImportPath)+" ") && bytes.Contains(b, []byte(ban.text)) {
					t.Errorf("%s/%s uses %s: %s", p.ImportPath, f, ban.text, ban.remedy)
				}
			}
		}
	}
}
