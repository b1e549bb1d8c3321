package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/coordinator/pinning"
	"shoal/coordinator/task"
	"shoal/wire"
)

// valueImport names the value that says how far the reading of a dump or
// snapshot has come. It stays in the catalogue afterwards.
const valueImport = "import"

// ImportPhase is how far a dump or snapshot has been read into this cluster.
type ImportPhase string

// Phases. A cluster that is found in ImportDocuments or ImportQueue without an
// importer at work holds half a dump: the importer undoes it before it starts
// again, and nothing else should be served from it.
const (
	ImportNone ImportPhase = ""
	// ImportDocuments: indexes and documents are written, by batches of the
	// importer's own.
	ImportDocuments ImportPhase = "documents"
	// ImportQueue: the queue is replaced. No batch starts, and the stage epoch
	// does not rise.
	ImportQueue ImportPhase = "queue"
	ImportDone  ImportPhase = "done"
)

// importState is the stored form. Round differs from one import to the next.
type importState struct {
	Round string      `json:"round"`
	Phase ImportPhase `json:"phase"`
}

// Importing returns the phase that a catalogue shows.
func Importing(c Catalog) ImportPhase { return readImport(c).Phase }

func readImport(c Catalog) importState {
	var s importState
	v, ok := c.Value(valueImport)
	if ok && json.Unmarshal(v.JSON, &s) != nil {
		return importState{} // only SetImport writes it
	}
	return s
}

// ImportChange is the change that shows a phase; round names the import.
func ImportChange(round string, phase ImportPhase) wire.Change {
	data, err := json.Marshal(importState{round, phase})
	if err != nil {
		panic("coordinator: " + err.Error()) // a programming error: two strings always encode
	}
	return wire.Change{PutValue: &wire.Value{Name: valueImport, JSON: data}}
}

// ProposeUpdate appends an update outside of any batch; it is retried under one
// request id while no leader is known.
func ProposeUpdate(ctx context.Context, log Log, update *wire.Update) (*wire.Result, error) {
	return propose(ctx, log, update)
}

// restoring tells whether the queue is being replaced: nothing may start. A
// replaced queue begins its uids anew, so what the leader knew of the old one is
// dropped once no run is left of it. It must be asked after the pending tasks
// were read: those of a restoration then never pass for ordinary ones.
func (l *leader) restoring() bool {
	now := readImport(l.log.Catalog())
	if now != l.restored {
		if len(l.runs) > 0 {
			return true
		}
		l.backlog, l.restored = newBacklog(), now
	}
	return now.Phase == ImportQueue
}

// StageAddition stages an upload whose task is restored, not enqueued: it
// returns the body and the payload of that task. The restoration must be in
// ImportQueue, or the blob may be collected before the task names it.
func (w *Writer) StageAddition(ctx context.Context, up *Upload) (_ *task.Addition, _ wire.Payload, err error) {
	spool := &spool{dir: w.dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	m, size, err := w.stage(ctx, up, spool)
	if err != nil {
		return nil, wire.Payload{}, err
	}
	shorten(m)
	p := wire.Payload{RawSize: size}
	if spool.file == nil {
		p.Inline = spool.mem.Bytes()
	} else {
		content, err := spool.open()
		if err != nil {
			return nil, wire.Payload{}, err
		}
		if p.Blob, _, err = w.blobs.Stage(ctx, content, spool.size); err != nil {
			return nil, wire.Payload{}, err
		}
	}
	return &task.Addition{
		Update: up.Update, PrimaryKey: up.PrimaryKey, SkipCreation: up.SkipCreation,
		CreateIndex: up.CreateIndex, Manifest: *m, Lines: true,
	}, p, nil
}

// StageContent makes the payload of a restored task out of bytes.
func (w *Writer) StageContent(ctx context.Context, content []byte) (wire.Payload, error) {
	p := wire.Payload{RawSize: int64(len(content))}
	if len(content) <= inlinePayload {
		p.Inline = content
		return p, nil
	}
	ref, _, err := w.blobs.Stage(ctx, bytes.NewReader(content), p.RawSize)
	p.Blob = ref
	return p, err
}

// valueInstance names the value that holds the uid of the instance that a dump
// came from, a JSON string; without one the cluster's own id serves.
const valueInstance = "instance"

// valueChats names the value of Chats.
const valueChats = "chats"

// RestorableValues names the values of the catalogue that a dump or a snapshot
// brings, and that go when it is undone.
var RestorableValues = []string{"features", "network", "webhooks", valueChats, valueRules, valueInstance, "defaultKeys"}

// InstanceUID returns the uid that dumps carry over from instance to instance,
// "" when none was read in.
func InstanceUID(c Catalog) string {
	var uid string
	if v, ok := c.Value(valueInstance); ok && json.Unmarshal(v.JSON, &uid) != nil {
		return ""
	}
	return uid
}

// Restored are the values of a dump, each as the cluster stores it.
type Restored struct {
	InstanceUID string
	Features    api.Features
	Network     *api.Network  // nil: none
	Webhooks    []api.Webhook // sorted by uuid
	// Chats are the settings of chats by workspace.
	Chats map[string]*api.ChatSettings
	// Rules are the dynamic search rules as StoredRules returned them, nil for none.
	Rules json.RawMessage
}

// StoredRules returns the dynamic search rules as they are stored, nil when there
// never were any.
func StoredRules(c Catalog) json.RawMessage {
	v, _ := c.Value(valueRules)
	return v.JSON
}

// CheckRules judges what StoredRules of another cluster returned.
func CheckRules(stored json.RawMessage) error { return json.Unmarshal(stored, new(pinning.Store)) }

// Changes returns the catalogue changes that put the values in place.
func (r *Restored) Changes() ([]wire.Change, error) {
	list := &webhookList{}
	for _, h := range r.Webhooks {
		hook := storedWebhook{UUID: h.UUID, URL: h.URL}
		for _, e := range h.Headers {
			hook.setHeader(e.Name, &e.Value)
		}
		list.Hooks = append(list.Hooks, hook)
	}
	type named struct {
		name  string
		value any
	}
	values := []named{{"features", r.Features}, {"webhooks", list}}
	if r.Network != nil {
		values = append(values, named{"network", r.Network})
	}
	if r.InstanceUID != "" {
		values = append(values, named{valueInstance, r.InstanceUID})
	}
	if len(r.Chats) > 0 {
		values = append(values, named{valueChats, r.Chats})
	}
	if r.Rules != nil {
		values = append(values, named{valueRules, r.Rules})
	}
	var changes []wire.Change
	for _, v := range values {
		data, err := json.Marshal(v.value)
		if err != nil {
			return nil, err
		}
		changes = append(changes, wire.Change{PutValue: &wire.Value{Name: v.name, JSON: data}})
	}
	return changes, nil
}

// RestoredIndex plans an empty index with the settings, primary key and dates of
// a dump; size is what will be written to it.
func RestoredIndex(p Placement, c Catalog, uid string, key *string, settings *api.Settings, size Size) *wire.Index {
	x := p.NewIndex(c, uid, size)
	x.Settings = encodeSettings(settings)
	setKey(x, key)
	return x
}

// ProposeRestore appends records to the queue; it is retried under one request
// id while no leader is known. A refusal is an error.
func ProposeRestore(ctx context.Context, log Log, r *wire.Restore) error {
	r.RequestID = uuid.NewString()
	for attempt := 0; ; attempt++ {
		res, err := log.Propose(ctx, &wire.Command{Restore: r})
		switch {
		case err == nil && res.Fenced:
			return errors.New("the queue refuses the records: they contradict what it holds")
		case err == nil:
			return nil
		case !errors.Is(err, wire.ErrNoLeader) && !errors.Is(err, wire.ErrNotLeader):
			return err
		}
		if err := backoff(ctx, attempt); err != nil {
			return err
		}
	}
}

// ReplacedIndex is the record of an index of another cluster with fresh replicas
// in this one. Shards that hold something come without an in-sync replica: the
// caller delivers their content to the first one and declares it in sync.
func ReplacedIndex(p Placement, c Catalog, x *wire.Index) *wire.Index {
	next := x.Clone()
	next.Next, next.ShardGoal = nil, 0
	load := replicaLoad(c)
	for i := range next.Shards {
		s := &next.Shards[i]
		state := wire.InSync
		if n := len(s.Deltas); n > 0 {
			s.Deltas = s.Deltas[n-1:]
			state = wire.Copying
		}
		s.Replicas = nil
		for _, node := range p.choose(c, load, nil, p.goal(c, next)) {
			s.Replicas = append(s.Replicas, wire.Replica{Node: node, Incarnation: p.incarnation(node), State: state})
			load[node]++
		}
	}
	return next
}

// StartImport decides when a process starts whether it reads a dump or a
// snapshot (spec tasks-auth-ops-api 13.1): kind is "dump" or "snapshot", folder
// the data folder, which counts as empty when it is missing or has no entries.
func StartImport(kind, file, folder string, ignoreMissing, ignoreExisting bool) (bool, error) {
	if file == "" {
		return false, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err = os.Stat(file)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return false, err
	case len(entries) > 0 && !ignoreExisting:
		path, err := filepath.Abs(folder)
		if err != nil {
			path = folder
		}
		return false, fmt.Errorf("database already exists at %q, try to delete it or rename it", path)
	case missing && ignoreMissing:
		return false, nil
	case missing && kind == "snapshot":
		return false, fmt.Errorf("snapshot doesn't exist at %s", file)
	case missing:
		return false, fmt.Errorf("%s doesn't exist at %q", kind, file)
	}
	return len(entries) == 0, nil
}
