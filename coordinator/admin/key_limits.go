package admin

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

// ValueKeyLimits names the catalogue value that holds the limits of API keys. They are
// not a part of the keys: dumps and answers show keys as the reference knows them.
const ValueKeyLimits = "keyLimits"

// keyLimits are the limits of those keys that have any, by uid. Immutable.
type keyLimits map[string]api.KeyLimits

func (l *keyLimits) has(uid string) bool {
	_, ok := (*l)[uid]
	return ok
}

// with returns the limits of the keys that exist, those of one changed.
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

// Limit changes the limits of a key; nil when there is no such key.
func (k *Keys) Limit(ctx context.Context, uid string, p *api.KeyLimitsPatch) (*api.KeyLimits, error) {
	if err := k.log.Barrier(ctx); err != nil {
		return nil, err
	}
	if _, ok := k.log.Catalog().Key(uid); !ok {
		return nil, nil
	}
	next, err := k.limits.change(ctx, func(old *keyLimits) (*keyLimits, error) {
		return old.with(k.log.Catalog(), uid, (*old)[uid].Apply(p)), nil
	})
	if err != nil {
		return nil, err
	}
	limits := (*next)[uid]
	return &limits, nil
}
