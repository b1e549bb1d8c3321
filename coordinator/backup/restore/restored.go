package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/pinning"
	"shoal/coordinator/placement"
	"shoal/wire"
)

// valueInstance names the value with the uid of the instance that a dump came from, as a JSON
// string. Without it the cluster's own id is used.
const valueInstance = "instance"

// valueChats names the value of Chats.
const valueChats = "chats"

// RestorableValues names the catalogue values that a dump or snapshot contains. Undo removes
// them.
var RestorableValues = []string{"features", "network", "webhooks", valueChats, admin.ValueRules, admin.ValueKeyLimits, valueInstance, "defaultKeys"}

// InstanceUID returns the uid that dumps carry from instance to instance, "" when none was
// imported.
func InstanceUID(c coordinator.Catalog) string {
	var uid string
	if v, ok := c.Value(valueInstance); ok && json.Unmarshal(v.JSON, &uid) != nil {
		return ""
	}
	return uid
}

// Restored are the values of a dump, in the form that the cluster stores.
type Restored struct {
	InstanceUID string
	Features    settings.Features
	Network     *api.Network  // nil: none
	Webhooks    []api.Webhook // sorted by uuid
	// Chats are the settings of chats by workspace.
	Chats map[string]*api.ChatSettings
	// Rules are the dynamic search rules in the form of StoredRules, nil for none.
	Rules json.RawMessage
}

// StoredRules returns the stored dynamic search rules, nil if there never were any.
func StoredRules(c coordinator.Catalog) json.RawMessage {
	v, _ := c.Value(admin.ValueRules)
	return v.JSON
}

// CheckRules checks the StoredRules of another cluster.
func CheckRules(stored json.RawMessage) error { return json.Unmarshal(stored, new(pinning.Store)) }

// Changes returns the catalogue changes that store the values.
func (r *Restored) Changes() ([]wire.Change, error) {
	list := &admin.WebhookList{}
	for _, h := range r.Webhooks {
		hook := admin.StoredWebhook{UUID: h.UUID, URL: h.URL}
		for _, e := range h.Headers {
			hook.SetHeader(e.Name, &e.Value)
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
		values = append(values, named{admin.ValueRules, r.Rules})
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

// RestoredIndex plans an empty index with the settings and primary key of a dump. size is the
// size of the documents to come.
func RestoredIndex(p placement.Placement, c coordinator.Catalog, uid string, key *string, settings *settings.Settings, size placement.Size) *wire.Index {
	x := p.NewIndex(c, uid, size, nil)
	x.Settings = wire.EncodeSettings(settings)
	x.SetPrimaryKey(key)
	return x
}

// ProposeRestore appends records to the queue. While no leader is known it retries under one
// request id. A refusal is an error.
func ProposeRestore(ctx context.Context, log coordinator.Log, r *wire.Restore) error {
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
		if err := coordinator.Backoff(ctx, attempt); err != nil {
			return err
		}
	}
}

// ReplacedIndex returns the record of another cluster's index with new replicas in this
// cluster. Shards with content get no in-sync replica: the caller delivers the content to the
// first replica and marks it as in sync.
func ReplacedIndex(p placement.Placement, c coordinator.Catalog, x *wire.Index) *wire.Index {
	next := p.Arrived(c, x)
	load := placement.ReplicaLoad(c)
	for i := range next.Shards {
		s := &next.Shards[i]
		state := wire.InSync
		if n := len(s.Deltas); n > 0 {
			s.Deltas = s.Deltas[n-1:]
			state = wire.Copying
		}
		s.Replicas = nil
		for _, node := range p.Choose(c, load, nil, p.Goal(c, next)) {
			s.Replicas = append(s.Replicas, wire.Replica{Node: node, Incarnation: p.IncarnationOf(node), State: state})
			load[node]++
		}
	}
	return next
}

// StartImport decides at process start whether to import a dump or a snapshot (spec
// tasks-auth-ops-api 13.1). kind is "dump" or "snapshot". folder is the data folder; it counts
// as empty when it is missing, has no entries, or an import into it was interrupted (half).
// look returns fs.ErrNotExist for a missing file.
func StartImport(kind, file, folder string, half, ignoreMissing, ignoreExisting bool, look func(string) error) (bool, error) {
	if file == "" {
		return false, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if half {
		entries = nil
	}
	err = look(file)
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
