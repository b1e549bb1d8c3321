package federated

import (
	"context"

	"shoal/api"
	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
)

// rejectedHits are the hits that federation.distinct rejected in the list of all indexes, by
// origin: refs of each local index and of each remote.
type rejectedHits struct {
	local, remote [][]int
}

func newRejectedHits(locals, remotes int) rejectedHits {
	return rejectedHits{local: make([][]int, locals), remote: make([][]int, remotes)}
}

func (r *rejectedHits) add(o *mergedHit) {
	if o.remote >= 0 {
		r.remote[o.remote] = append(r.remote[o.remote], o.ref)
	} else {
		r.local[o.source] = append(r.local[o.source], o.ref)
	}
}

// takeOut subtracts the values of the rejected hits from facets: those of one index, or those
// of all for an empty uid.
func (r *rejectedHits) takeOut(ctx context.Context, uid string, facets *api.Facets, local *localResult, remotes []*remoteResult) error {
	for i, x := range local.indexes {
		if len(r.local[i]) == 0 || uid != "" && uid != x.record.UID {
			continue
		}
		hits := make([]driver.Hit, len(r.local[i]))
		for k, ref := range r.local[i] {
			hits[k] = x.hits[ref].hit
		}
		for f := range facets.Distribution {
			counts := &facets.Distribution[f]
			keys, err := x.found().FieldValues(ctx, counts.Field, hits)
			if err != nil {
				return err
			}
			for _, k := range keys {
				merge.TakeOut(counts, k)
			}
		}
	}
	for i, refs := range r.remote {
		for _, ref := range refs {
			hit := &remotes[i].hits[ref]
			if uid != "" && uid != hit.Federation.IndexUID {
				continue
			}
			for f := range facets.Distribution {
				counts := &facets.Distribution[f]
				merge.TakeOut(counts, remotes[i].keysOf(ref, counts.Field))
			}
		}
	}
	return nil
}
