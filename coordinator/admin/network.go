package admin

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/decode"
	"shoal/coordinator"
)

// Network holds the configuration of other instances (spec tasks-auth-ops-api 10.10). It is
// unrelated to this cluster. Safe for concurrent use.
type Network struct{ stored sharedValue[api.Network] }

// NewNetwork returns the network of the cluster.
func NewNetwork(log coordinator.Log) *Network {
	return &Network{sharedValue[api.Network]{log: log, name: "network", fresh: func() *api.Network {
		return &api.Network{Remotes: map[string]api.NetworkRemote{}, Shards: map[string]api.NetworkShard{}, Version: uuid.Nil.String()}
	}}}
}

// Network returns the current configuration. It is shared: do not modify.
func (n *Network) Network() *api.Network { return n.stored.get() }

// UpdateNetwork merges the patch and sets a new version.
func (n *Network) UpdateNetwork(ctx context.Context, p *api.NetworkPatch) (*api.Network, error) {
	version, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	return n.stored.change(ctx, func(old *api.Network) (*api.Network, error) {
		next := mergeNetwork(old, p)
		next.Version = version.String()
		return next, nil
	})
}

// mergeNetwork returns a network with a patch applied. It changes neither argument.
func mergeNetwork(old *api.Network, p *api.NetworkPatch) *api.Network {
	next := &api.Network{
		Self: old.Self, Leader: old.Leader,
		Remotes: mergeNamed(old.Remotes, p.Remotes, mergeRemote), Shards: mergeNamed(old.Shards, p.Shards, mergeShard),
	}
	if p.Self.Given() {
		next.Self = optional(p.Self)
	}
	if p.Leader.Given() {
		next.Leader = optional(p.Leader)
	}
	dropRemoved(next, p)
	return next
}

// mergeNamed returns named values with a patch applied: null drops all, or one of them.
func mergeNamed[T, P any](old map[string]T, patch decode.Field[[]decode.Entry[*P]], merge func(T, *P) T) map[string]T {
	next := maps.Clone(old)
	if patch.IsNull() {
		next = map[string]T{}
	}
	for _, e := range patch.Value {
		if e.Value == nil {
			delete(next, e.Name)
			continue
		}
		next[e.Name] = merge(next[e.Name], e.Value)
	}
	return next
}

// dropRemoved removes deleted remotes from all shards, and shards without remotes from the
// network.
func dropRemoved(n *api.Network, p *api.NetworkPatch) {
	for name, shard := range n.Shards {
		left := slices.DeleteFunc(slices.Clone(shard.Remotes), func(remote string) bool {
			if p.Remotes.IsNull() {
				return true
			}
			return slices.ContainsFunc(p.Remotes.Value, func(e decode.Entry[*api.RemotePatch]) bool {
				return e.Value == nil && e.Name == remote
			})
		})
		if len(left) == 0 {
			delete(n.Shards, name)
			continue
		}
		n.Shards[name] = api.NetworkShard{Remotes: left}
	}
}

func mergeRemote(r api.NetworkRemote, p *api.RemotePatch) api.NetworkRemote {
	r.URL = p.URL.Or(r.URL)
	if p.SearchAPIKey.Given() {
		r.SearchAPIKey = optional(p.SearchAPIKey)
	}
	if p.WriteAPIKey.Given() {
		r.WriteAPIKey = optional(p.WriteAPIKey)
	}
	return r
}

func mergeShard(s api.NetworkShard, p *api.ShardPatch) api.NetworkShard {
	remotes := slices.Clone(s.Remotes)
	if p.Remotes.Given() {
		remotes = slices.Clone(p.Remotes.Value)
	}
	remotes = append(remotes, p.AddRemotes.Value...)
	remotes = slices.DeleteFunc(remotes, func(r string) bool { return slices.Contains(p.RemoveRemotes.Value, r) })
	slices.Sort(remotes)
	return api.NetworkShard{Remotes: slices.Compact(remotes)}
}

// optional returns the value of a field, nil when it is null.
func optional[T any](f decode.Field[T]) *T {
	if !f.IsSet() {
		return nil
	}
	return &f.Value
}
