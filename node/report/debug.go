package report

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"shoal/node/config"
	"shoal/node/observe"
	"shoal/node/redaction"
)

// debugRequest asks a node about itself.
type debugRequest struct {
	// Seconds is how long a CPU profile takes, 0 for none.
	Seconds uint64 `msgpack:"s"`
}

// debugReply is a ZIP archive.
type debugReply struct {
	Archive []byte `msgpack:"a"`
}

// debugExtra bounds the answer of another node, in addition to its profile.
const debugExtra = 20 * time.Second

// Debug returns an archive for the diagnosis of a node, "" for this one.
func (r *Reports) Debug(ctx context.Context, name string, seconds uint64) ([]byte, error) {
	reply, err := r.archives.Named(ctx, name, time.Duration(seconds)*time.Second+debugExtra, &debugRequest{Seconds: seconds})
	if err != nil {
		return nil, err
	}
	return reply.Archive, nil
}

// serveDebug packs information for diagnosing this node. It lists in errors.txt what it
// could not get, so that the rest still arrives.
func (r *Reports) serveDebug(ctx context.Context, q *debugRequest) (*debugReply, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	secrets := r.secrets()
	var faults []error
	put := func(name string, content []byte, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
			return
		}
		w, err := archive.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	text := func(name string, content []byte, err error) { put(name, redaction.Text(content, secrets), err) }

	if q.Seconds > 0 {
		profile, err := cpuProfile(ctx, time.Duration(q.Seconds)*time.Second)
		put("cpu.pprof", profile, err)
	}
	about, err := json.MarshalIndent(r.about(), "", "  ")
	text("node.json", about, err)
	text("log.txt", r.Logs.Recent(), nil)
	var metrics bytes.Buffer
	err = r.Front.WriteMetrics(ctx, &metrics)
	text("metrics.txt", metrics.Bytes(), err)
	for _, p := range []struct {
		name, profile string
		form          int
	}{{"goroutines.txt", "goroutine", 1}, {"heap.pprof", "heap", 0}, {"allocs.pprof", "allocs", 0}, {"mutex.pprof", "mutex", 0}, {"block.pprof", "block", 0}} {
		var b bytes.Buffer
		err := pprof.Lookup(p.profile).WriteTo(&b, p.form)
		put(p.name, b.Bytes(), err)
	}
	if err := errors.Join(faults...); err != nil {
		text("errors.txt", []byte(err.Error()+"\n"), nil)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack what is known of this node: %w", err)
	}
	return &debugReply{Archive: out.Bytes()}, nil
}

// cpuProfile takes a CPU profile of the process.
func cpuProfile(ctx context.Context, d time.Duration) ([]byte, error) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return nil, err // another profile is being taken
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	pprof.StopCPUProfile()
	return b.Bytes(), ctx.Err()
}

// about describes the running program and its options. Options are listed one by one, so
// that a new one with a secret cannot slip in.
func (r *Reports) about() map[string]any {
	sha, date := config.Commit()
	c := r.Options
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	free, _ := r.Disk.Space()
	about := map[string]any{
		"id": r.Self.ID, "name": r.Self.Name, "http": r.Self.HTTPAddr, "peer": r.Self.PeerAddr, "gossip": r.Self.GossipAddr,
		"release": config.Release, "commit": sha, "commitDate": date, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		"cores": r.Cores, "gomaxprocs": runtime.GOMAXPROCS(0), "goroutines": runtime.NumGoroutine(),
		"time": time.Now().UTC(), "running": time.Since(r.Begun).Round(time.Second).String(),
		"memory": map[string]uint64{
			"resident": observe.ResidentBytes(), "heap": memory.HeapAlloc, "heapIdle": memory.HeapIdle, "system": memory.Sys, "collections": uint64(memory.NumGC),
		},
		"disk": map[string]uint64{"shards": r.Host.Figures().DiskBytes, "free": free},
		"raft": r.Group.Stats(), "awaits": r.Awaits(),
		"options": map[string]any{
			"dbPath": c.DBPath, "httpAddr": c.HTTPAddr, "peerAddr": c.PeerAddr, "gossipAddr": c.GossipAddr, "join": c.Join, "initMembers": c.InitMembers,
			"front": c.Front, "data": c.Data, "voter": c.Voter, "env": c.Env, "masterKey": c.MasterKey != "", "payloadLimit": c.PayloadLimit,
			"maxStaleness": c.MaxStaleness.String(), "memoryLimit": c.MemoryLimit, "defaultShards": c.DefaultShards, "defaultReplicas": c.DefaultReplicas,
			"logLevel": c.LogLevel, "scrubInterval": c.ScrubInterval.String(), "metricsAddr": c.MetricsAddr, "searchQueueSize": c.SearchQueueSize,
			"searchesPerCore": c.SearchesPerCore, "scheduleSnapshot": c.ScheduleSnapshot.String(), "backupDir": c.Storage.BackupDir,
			"s3Bucket": c.Storage.S3Bucket, "follows": c.Follow != "", "webhook": c.TaskWebhookURL != "", "tls": c.TLSCert != "",
		},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		modules := map[string]string{}
		for _, m := range info.Deps {
			modules[m.Path] = m.Version
		}
		about["modules"] = modules
	}
	return about
}

// secrets are all secrets that this node knows, including the values of all API keys.
func (r *Reports) secrets() []string {
	c := r.Options
	list := []string{c.MasterKey, c.ClusterSecret, c.ClusterSecretAlso, c.TaskWebhookHeader, c.Storage.S3AccessKey, c.Storage.S3SecretKey, c.PersonalizationKey}
	if c.Storage.S3SecretIn != "" {
		if text, err := os.ReadFile(c.Storage.S3SecretIn); err == nil { // otherwise this node does not know it either
			list = append(list, strings.TrimSpace(string(text)))
		}
	}
	if c.MasterKey != "" {
		list = append(list, r.Front.KeyValues()...)
	}
	return list
}
