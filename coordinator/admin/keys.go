package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/wire"
)

// Keys stores API keys in the catalogue. It does not know their secret values, which the HTTP
// front derives from the master key. Safe for concurrent use.
type Keys struct {
	log    coordinator.Log
	seen   atomic.Pointer[decodedKeys]
	limits sharedValue[keyLimits]
}

// decodedKeys is the public form of one state of the catalogue's keys.
type decodedKeys struct {
	applied uint64
	stored  []*wire.Key
	limits  *keyLimits
	list    []*api.Key // newest first
}

// NewKeys returns the keys of the cluster.
func NewKeys(log coordinator.Log) *Keys {
	return &Keys{log: log, limits: sharedValue[keyLimits]{log: log, name: ValueKeyLimits, fresh: func() *keyLimits { return new(keyLimits) }}}
}

// Keys lists all keys, newest first. The slice is immutable, and remains the same slice while
// no key changes.
func (k *Keys) Keys() []*api.Key {
	catalog := k.log.Catalog()
	last := k.seen.Load()
	if last != nil && last.applied == catalog.Applied() {
		return last.list
	}
	stored := catalog.Keys()
	next := &decodedKeys{applied: catalog.Applied(), stored: stored, limits: k.limits.get()}
	if last != nil && slices.Equal(last.stored, stored) && last.limits == next.limits {
		next.list = last.list
	} else {
		next.list = publicKeys(stored, *next.limits)
	}
	k.seen.Store(next)
	return next.list
}

func publicKeys(stored []*wire.Key, limits keyLimits) []*api.Key {
	list := make([]*api.Key, len(stored))
	for i, s := range stored {
		list[i] = publicKey(s)
		list[i].Limits = limits[s.UID]
	}
	slices.SortFunc(list, func(a, b *api.Key) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(a.UID, b.UID))
	})
	return list
}

func publicKey(s *wire.Key) *api.Key {
	k := &api.Key{
		UID: s.UID, Name: s.Name, Description: s.Description, Actions: s.Actions, Indexes: s.Indexes,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if s.ExpiresAt != nil {
		shown := s.ExpiresShown
		if shown == "" {
			shown = time.Unix(0, *s.ExpiresAt).UTC().Format(time.RFC3339Nano)
		}
		k.ExpiresAt, k.ExpiresAtNanos = &shown, *s.ExpiresAt
	}
	return k
}

func storedKey(k *api.Key) *wire.Key {
	s := &wire.Key{
		UID: k.UID, Name: k.Name, Description: k.Description, Actions: k.Actions, Indexes: k.Indexes,
		CreatedAt: k.CreatedAt, UpdatedAt: k.UpdatedAt,
	}
	if k.ExpiresAt != nil {
		s.ExpiresAt, s.ExpiresShown = &k.ExpiresAtNanos, *k.ExpiresAt
	}
	return s
}

// Create stores a new key and sets its dates.
func (k *Keys) Create(ctx context.Context, key *api.Key) (*api.Key, error) {
	created := *key
	created.CreatedAt = time.Now().UnixNano()
	created.UpdatedAt = created.CreatedAt
	r, err := coordinator.Propose(ctx, k.log, &wire.Update{
		Changes:   []wire.Change{{PutKey: storedKey(&created)}},
		AbsentKey: &created.UID,
	})
	if err != nil {
		return nil, err
	}
	if r.Fenced {
		return nil, apierr.APIKeyAlreadyExists(key.UID)
	}
	return &created, nil
}

// valueKeyRound names the catalogue value that differs after every change of an existing key.
const valueKeyRound = "keyRound"

// change proposes the changes that edit returns for a key; false when there is no such key.
// When another key was changed or deleted meanwhile, it calls edit again with the new state. So
// a key that is deleted during a change does not come back, nor do its limits with a new key of
// the same uid.
func (k *Keys) change(ctx context.Context, uid string, edit func(coordinator.Catalog, *wire.Key) ([]wire.Change, error)) (bool, error) {
	for {
		if err := k.log.Barrier(ctx); err != nil {
			return false, err
		}
		catalog := k.log.Catalog() // read first, so that newer states are refused
		stored, ok := catalog.Key(uid)
		if !ok {
			return false, nil
		}
		changes, err := edit(catalog, stored)
		if err != nil {
			return false, err
		}
		last, _ := catalog.Value(valueKeyRound)
		r, err := coordinator.Propose(ctx, k.log, &wire.Update{
			Changes:      append(changes, wire.Change{PutValue: &wire.Value{Name: valueKeyRound, JSON: []byte(`"` + uuid.NewString() + `"`)}}),
			CompareValue: &wire.Value{Name: valueKeyRound, JSON: last.JSON},
		})
		if err != nil || !r.Fenced {
			return err == nil, err
		}
	}
}

// Update changes name and description; nil when there is no such key.
func (k *Keys) Update(ctx context.Context, uid string, p *api.KeyPatch) (*api.Key, error) {
	var next wire.Key
	found, err := k.change(ctx, uid, func(_ coordinator.Catalog, stored *wire.Key) ([]wire.Change, error) {
		next = *stored
		if p.Name.Given() {
			next.Name = optional(p.Name)
		}
		if p.Description.Given() {
			next.Description = optional(p.Description)
		}
		next.UpdatedAt = time.Now().UnixNano()
		return []wire.Change{{PutKey: &next}}, nil
	})
	if err != nil || !found {
		return nil, err
	}
	return publicKey(&next), nil
}

// Delete deletes a key and its limits, and tells whether the key existed. A node refuses the
// key as soon as it has applied the entry.
func (k *Keys) Delete(ctx context.Context, uid string) (bool, error) {
	return k.change(ctx, uid, func(c coordinator.Catalog, _ *wire.Key) ([]wire.Change, error) {
		changes := []wire.Change{{DropKey: &uid}}
		if limits := k.limits.get(); limits.has(uid) {
			put, err := limits.with(c, uid, api.KeyLimits{}).put()
			if err != nil {
				return nil, err
			}
			changes = append(changes, put)
		}
		return changes, nil
	})
}

// EnsureDefaults creates the default keys when there are no keys (spec tasks-auth-ops-api 7.1).
// The leader calls it once when it starts to serve. A second caller at the same time changes
// nothing.
func (k *Keys) EnsureDefaults(ctx context.Context) error {
	if err := k.log.Barrier(ctx); err != nil {
		return err
	}
	catalog := k.log.Catalog()
	if len(catalog.Keys()) > 0 {
		return nil
	}
	const marker = "defaultKeys"
	last, _ := catalog.Value(marker)
	round := uuid.NewString()
	update := &wire.Update{
		Changes:      []wire.Change{{PutValue: &wire.Value{Name: marker, JSON: []byte(`"` + round + `"`)}}},
		CompareValue: &wire.Value{Name: marker, JSON: last.JSON},
	}
	now := time.Now().UnixNano()
	for i, key := range api.DefaultKeys() {
		key.UID = uuid.NewString()
		// Each key is a little newer than the previous one, because the list shows the newest
		// first.
		key.CreatedAt = now + int64(i)*int64(time.Microsecond)
		key.UpdatedAt = key.CreatedAt
		update.Changes = append(update.Changes, wire.Change{PutKey: storedKey(&key)})
	}
	_, err := coordinator.Propose(ctx, k.log, update)
	return err
}
