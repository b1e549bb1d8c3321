package operation

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

const masterKey = "the-master-key-of-the-operators"

// secrets are what the cluster is told and nobody else may see, by where it goes.
var secrets = map[string]string{
	"master key": masterKey, "cluster": "5ec2e70f0123456789abcdef5ec2e70f0123456789abcdef5ec2e70f01234567",
	"embedder": "sk-embedder-5550", "embedder header": "hdr-embedder-5551", "embedder address": "adr-embedder-5552", "embedder request": "req-embedder-5553",
	"webhook header": "hook-header-5554", "webhook option": "hook-option-5555", "chat": "sk-chat-5556", "network search": "net-search-5557",
	"network write": "net-write-5558", "export": "export-5559", "S3 access": "s3-access-5560", "S3 secret": "s3-secret-5561", "document": "words-of-a-document-5562", "query": "words-of-a-query-5563",
}

// told is a cluster of three nodes that has been told all secrets.
func told(t *testing.T) *clustertest.Cluster {
	t.Helper()
	c := rig.New(t, 3, "SHOAL_MASTER_KEY="+masterKey, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=any", "SHOAL_TASK_WEBHOOK_URL=http://127.0.0.1:9/",
		"SHOAL_TASK_WEBHOOK_AUTHORIZATION_HEADER="+secrets["webhook option"], "SHOAL_S3_BUCKET_URL=http://127.0.0.1:9", "SHOAL_S3_BUCKET_NAME=backups",
		"SHOAL_SCHEDULE_SNAPSHOT=false", "SHOAL_S3_ACCESS_KEY="+secrets["S3 access"], "SHOAL_S3_SECRET_KEY="+secrets["S3 secret"])
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	send := func(method, path, body string) {
		t.Helper()
		status, answer, err := c.Nodes[0].Do(t.Context(), method, path, clustertest.Text(body))
		if err != nil || status >= 300 {
			t.Fatalf("%s %s: %d %s %v", method, path, status, answer, err)
		}
		var task struct{ TaskUID *uint32 }
		if json.Unmarshal(answer, &task) == nil && task.TaskUID != nil {
			// Some fail, and quote what they failed of; some try for long to reach what is
			// not there.
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, _ = c.Nodes[0].Wait(ctx, *task.TaskUID)
		}
	}
	send("PATCH", "/experimental-features", `{"metrics":true,"network":true,"chatCompletions":true}`)
	send("POST", "/indexes/films/documents", `[{"id":1,"title":"`+secrets["document"]+`"}]`)
	send("POST", "/indexes/films/documents", `[{"title":"`+secrets["document"]+`"}]`)
	send("PATCH", "/indexes/books/settings", fmt.Sprintf(`{"embedders":{"far":{"source":"rest","dimensions":2,"apiKey":%q,"headers":{"X-Way":%q},"url":"http://u:%s@127.0.0.1:9/e?k=%s",
		"request":{"api_key":%q,"text":"{{text}}"},"response":"{{embedding}}"}}}`, secrets["embedder"], secrets["embedder header"], secrets["embedder address"], secrets["embedder address"], secrets["embedder request"]))
	send("POST", "/webhooks", fmt.Sprintf(`{"url":"http://127.0.0.1:9/h","headers":{"Authorization":%q}}`, secrets["webhook header"]))
	send("PATCH", "/chats/desk/settings", fmt.Sprintf(`{"source":"openAi","apiKey":%q}`, secrets["chat"]))
	send("PATCH", "/network", fmt.Sprintf(`{"remotes":{"far":{"url":"http://127.0.0.1:9","searchApiKey":%q,"writeApiKey":%q}}}`, secrets["network search"], secrets["network write"]))
	send("POST", "/export", fmt.Sprintf(`{"url":"http://127.0.0.1:9","apiKey":%q}`, secrets["export"]))
	send("PATCH", "/cluster/slow-log", `{"thresholdMs":1}`)
	send("POST", "/indexes/films/search", fmt.Sprintf(`{"q":%q}`, secrets["query"]))
	return c
}

// unpacked are the files of an archive, compressed ones unpacked.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
			if b, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		files[f.Name] = b
	}
	return files
}

// TestDebugZipHoldsEverythingButSecrets: what all nodes know, one of them dead, and none
// of what only they may know.
func TestDebugZipHoldsEverythingButSecrets(t *testing.T) {
	c := told(t)
	hidden := map[string]string{}
	for name, s := range secrets {
		hidden[name] = s
	}
	_, answer, err := c.Nodes[0].Do(t.Context(), "GET", "/keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	var keys struct {
		Results []struct{ Name, Key string }
	}
	if err := json.Unmarshal(answer, &keys); err != nil || len(keys.Results) != 4 {
		t.Fatal(string(answer), err)
	}
	for _, k := range keys.Results {
		hidden["value of "+k.Name] = k.Key
	}
	debugZip := func(name string) (map[string][]byte, string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		command := exec.CommandContext(t.Context(), c.Binary, "debug", "zip", path, "--url", "http://"+c.Nodes[0].HTTP, "--cpu", "1s")
		command.Env = append(os.Environ(), "SHOAL_API_KEY="+masterKey)
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		return unpacked(t, path), string(said)
	}
	files, said := debugZip("all.zip")
	want := map[string]string{
		"README.txt": "no secrets", "cluster/status.json": `"healthy"`, "cluster/tasks.json": `"documentAdditionOrUpdate"`, "cluster/batches.json": `"results"`,
		"cluster/settings/books.json": `"far"`, "cluster/keys.json": "Default Search API Key", "cluster/webhooks.json": "127.0.0.1:9", "cluster/network.json": "far",
		"cluster/chats.json": "desk", "cluster/slow-log.json": `"thresholdMs": 1`,
	}
	for _, n := range c.Nodes {
		for name, holds := range map[string]string{
			"node.json": `"release"`, "log.txt": "serving", "metrics.txt": "shoal_store_disk_bytes", "goroutines.txt": "goroutine profile", "heap.pprof": "", "cpu.pprof": "samples",
		} {
			want["nodes/"+n.Name+"/"+name] = holds
		}
	}
	for name, holds := range want {
		if b, ok := files[name]; !ok || !bytes.Contains(b, []byte(holds)) || len(b) == 0 {
			t.Errorf("%s: there %v, %d bytes, want %q in it", name, ok, len(b), holds)
		}
	}
	if strings.Contains(said, "not in it") || files["errors.txt"] != nil {
		t.Errorf("something is missing: %s", said)
	}
	for file, content := range files {
		for name, s := range hidden {
			if bytes.Contains(content, []byte(s)) {
				t.Errorf("%s holds a secret, %s", file, name)
			}
		}
	}

	c.Nodes[2].Kill()
	begun := time.Now()
	files, said = debugZip("without.zip")
	if !strings.Contains(said, "node n3") || !bytes.Contains(files["errors.txt"], []byte("node n3")) || files["nodes/n2/metrics.txt"] == nil || files["nodes/n3/metrics.txt"] != nil {
		t.Errorf("with a dead node: %s, errors %s", said, files["errors.txt"])
	}
	if took := time.Since(begun); took > 40*time.Second {
		t.Errorf("a dead node holds it up for %s", took)
	}
}
