package admin

import (
	"context"
	"encoding/json"
	"fmt"

	"shoal/api"
	"shoal/coordinator"
	"shoal/wire"
)

// ValueKeyLimits names the catalogue value with the limits of API keys. They are separate from
// the keys, because dumps and answers show keys in the reference's form.
const ValueKeyLimits = "keyLimits"

// keyLimits are the limits of the keys that have any, by uid. Immutable.
type keyLimits map[string]api.KeyLimits

func (l *keyLimits) has(uid string) bool {
	_, ok := (*l)[uid]
	return ok
}

// with returns the limits of the existing keys, with those of one key changed.
func (l *keyLimits) with(c coordinator.Catalog, uid string, limits api.KeyLimits) *keyLimits {
	next := keyLimits{}
	for other, has := range *l {
		if _, exists := c.Key(other); exists && other != uid {
			next[other] = has
		}
	}
	if limits != (api.KeyLimits{}) {
		next[uid] = limits
	}
	return &next
}

// put returns the change that stores the limits.
func (l *keyLimits) put() (wire.Change, error) {
	encoded, err := json.Marshal(l)
	if err != nil {
		return wire.Change{}, fmt.Errorf("coordinator: encoding %s: %w", ValueKeyLimits, err)
	}
	return wire.Change{PutValue: &wire.Value{Name: ValueKeyLimits, JSON: encoded}}, nil
}

// Limit changes the limits of a key; nil when there is no such key.
func (k *Keys) Limit(ctx context.Context, uid string, p *api.KeyLimitsPatch) (*api.KeyLimits, error) {
	var limits api.KeyLimits
	found, err := k.change(ctx, uid, func(c coordinator.Catalog, _ *wire.Key) ([]wire.Change, error) {
		old := k.limits.get()
		limits = (*old)[uid].Apply(p)
		put, err := old.with(c, uid, limits).put()
		return []wire.Change{put}, err
	})
	if err != nil || !found {
		return nil, err
	}
	return &limits, nil
}
