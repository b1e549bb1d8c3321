package admin

import (
	"context"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/wire"
)

// Indexes reads the metadata of indexes from the catalogue of this node. Safe for
// concurrent use.
type Indexes struct{ log coordinator.Log }

// NewIndexes returns the indexes of the cluster.
func NewIndexes(log coordinator.Log) *Indexes { return &Indexes{log: log} }

// Indexes lists the indexes that match the patterns (nil for all), by uid. total counts all
// matches.
func (x *Indexes) Indexes(_ context.Context, authorized []string, offset, limit uint64) (page []api.Index, total uint64, err error) {
	for _, index := range x.log.Catalog().Indexes() {
		if authorized != nil && !api.MatchesIndex(authorized, index.UID) || coordinator.BeingCopied(index.UID) {
			continue
		}
		if total >= offset && uint64(len(page)) < limit {
			page = append(page, publicIndex(index))
		}
		total++
	}
	return page, total, nil
}

// Index returns one index.
func (x *Indexes) Index(_ context.Context, uid string) (*api.Index, error) {
	index, err := x.find(uid)
	if err != nil {
		return nil, err
	}
	public := publicIndex(index)
	return &public, nil
}

// IndexSettings returns the effective settings. They are shared: do not modify.
func (x *Indexes) IndexSettings(_ context.Context, uid string) (*settings.Settings, error) {
	index, err := x.find(uid)
	if err != nil {
		return nil, err
	}
	return index.DecodedSettings(), nil
}

// IndexFields returns the fields seen so far and the present settings, both shared.
func (x *Indexes) IndexFields(_ context.Context, uid string) ([]string, *settings.Settings, error) {
	index, err := x.find(uid)
	if err != nil {
		return nil, nil, err
	}
	return index.Fields, index.DecodedSettings(), nil
}

func (x *Indexes) find(uid string) (*wire.Index, error) {
	index, ok := coordinator.Named(x.log.Catalog(), uid)
	if !ok {
		return nil, apierr.IndexNotFound(uid)
	}
	return index, nil
}

func publicIndex(index *wire.Index) api.Index {
	return api.Index{UID: index.UID, CreatedAt: index.CreatedAt, UpdatedAt: index.UpdatedAt, PrimaryKey: index.PrimaryKey}
}
