package ctl

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"shoal/node/redaction"
)

// Debug are the commands under "shoal debug".
type Debug struct {
	Zip debugZip `cmd:"" help:"Write one archive with what helps to find out what is wrong with a cluster: status, catalogue, queue, metrics, logs and profiles of all nodes; no documents, no secrets."`
}

type debugZip struct {
	Remote
	File string        `arg:"" optional:"" help:"Where to write it (default: shoal-debug-TIME.zip here)."`
	CPU  time.Duration `name:"cpu" default:"5s" placeholder:"TIME" help:"How long to measure what every node's processor does, at most 60s; 0s: not at all."`
}

const debugReadme = `What a Shoal cluster said of itself. It holds no documents and no secrets: values of
members that are named like secrets are replaced by [hidden], and so are documents that
error messages quote. Names of indexes and fields, synonyms, stop words and the other
settings are in it. When the slow log shows queries, log.txt does, too.

cluster/         what all nodes agree on: status, tasks, batches, settings
nodes/NAME/      log.txt (the newest MiB), metrics.txt, goroutines.txt, node.json and
                 profiles: go tool pprof nodes/NAME/cpu.pprof
errors.txt       what could not be had
`

// Run writes the archive, which lists nodes that do not answer.
func (d *debugZip) Run(ctx context.Context, out io.Writer) error {
	if d.CPU < 0 || d.CPU > time.Minute {
		return Usage{fmt.Errorf("--cpu is %s: use 0s to 60s", d.CPU)}
	}
	c, err := d.open()
	if err != nil {
		return err
	}
	c.retryFor = 0
	name := d.File
	if name == "" {
		name = "shoal-debug-" + time.Now().Format("20060102-150405") + ".zip"
	}
	b := &bundle{client: c}
	s, err := b.cluster(ctx)
	if err != nil {
		return err
	}
	b.nodes(ctx, s, d.CPU)
	packed, err := b.pack()
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, packed, 0o600); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	fmt.Fprintf(out, "%s: %s from %d nodes.\n", name, size(uint64(len(packed))), len(s.Nodes)-b.away)
	for _, fault := range b.faults {
		fmt.Fprintln(out, "  not in it: "+fault.Error())
	}
	return nil
}

// bundle collects the content of an archive.
type bundle struct {
	*client
	mu     sync.Mutex
	files  []bundleFile
	faults []error
	away   int
}

type bundleFile struct {
	name    string
	content []byte
}

func (b *bundle) add(name string, content []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = append(b.files, bundleFile{name, content})
}

func (b *bundle) fault(name string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Errorf("%s: %w", name, err))
}

// debugIndexes bounds the indexes whose settings are included.
const debugIndexes = 500

// cluster adds data that any node can supply. It fails only if the status is missing.
func (b *bundle) cluster(ctx context.Context) (*state, error) {
	s, err := b.state(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct{ name, path string }{
		{"status", "/cluster/status"}, {"activity", "/cluster/activity"}, {"slow-log", "/cluster/slow-log"}, {"health", "/health"}, {"version", "/version"},
		{"stats", "/stats"}, {"features", "/experimental-features"}, {"keys", "/keys?limit=1000"}, {"indexes", "/indexes?limit=1000"},
		{"tasks", "/tasks?limit=1000"}, {"batches", "/batches?limit=200"}, {"webhooks", "/webhooks"}, {"network", "/network"}, {"chats", "/chats?limit=100"},
	} {
		b.document(ctx, "cluster/"+f.name+".json", f.path)
	}
	for i := range s.Indexes {
		if i == debugIndexes {
			b.fault("cluster/settings", fmt.Errorf("of %d indexes only the first %d are kept", len(s.Indexes), debugIndexes))
			break
		}
		uid := s.Indexes[i].UID
		b.document(ctx, "cluster/settings/"+uid+".json", "/indexes/"+url.PathEscape(uid)+"/settings")
	}
	return s, nil
}

// document adds an answer of the cluster, with secrets removed.
func (b *bundle) document(ctx context.Context, name, path string) {
	answer, err := b.send(ctx, http.MethodGet, path, "", nil)
	if err == nil {
		answer, err = redaction.JSON(answer)
	}
	var r *refusal
	switch {
	case err == nil:
		b.add(name, answer)
	case errors.As(err, &r) && (r.Code == "feature_not_enabled" || r.Code == "missing_master_key"):
		// The cluster does not have this.
	default:
		b.fault(name, err)
	}
}

// nodes adds data from each node. All nodes are profiled at the same time.
func (b *bundle) nodes(ctx context.Context, s *state, cpu time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, cpu+time.Minute)
	defer cancel()
	var asking sync.WaitGroup
	for i := range s.Nodes {
		n := &s.Nodes[i]
		asking.Go(func() {
			path := fmt.Sprintf("/cluster/debug?node=%s&cpuSeconds=%d", url.QueryEscape(n.ID), int(cpu.Seconds()))
			answer, err := b.send(ctx, http.MethodGet, path, "", nil)
			if err == nil {
				err = b.unpack("nodes/"+n.Name+"/", answer)
			}
			if err != nil {
				b.fault("node "+n.Name, err)
				b.mu.Lock()
				b.away++
				b.mu.Unlock()
			}
		})
	}
	asking.Wait()
}

// unpack adds the files of a node's own archive.
func (b *bundle) unpack(prefix string, archive []byte) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("its archive: %w", err)
	}
	for _, f := range r.File {
		file, err := f.Open()
		if err != nil {
			return fmt.Errorf("its archive: %w", err)
		}
		content, err := io.ReadAll(io.LimitReader(file, largestAnswer))
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("its archive: %w", err)
		}
		b.add(prefix+strings.ReplaceAll(f.Name, "/", "_"), content)
	}
	return nil
}

// pack makes the archive.
func (b *bundle) pack() ([]byte, error) {
	var faults strings.Builder
	for _, err := range b.faults {
		faults.WriteString(err.Error() + "\n")
	}
	about, err := json.Marshal(map[string]any{"made": time.Now().UTC(), "by": "shoal debug zip"})
	if err != nil {
		return nil, err
	}
	b.files = append(b.files, bundleFile{"README.txt", []byte(debugReadme)}, bundleFile{"made.json", about})
	if faults.Len() > 0 {
		b.files = append(b.files, bundleFile{"errors.txt", []byte(faults.String())})
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, f := range b.files {
		// Remove the key even from unexpected places, for instance if it was used as a
		// name.
		content := redaction.Text(f.content, []string{b.key})
		part, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Now()})
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			return nil, fmt.Errorf("make the archive: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("make the archive: %w", err)
	}
	return packed.Bytes(), nil
}
