package admin

import (
	"context"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/wire"
)

// MaxAliases bounds the aliases of a cluster. Requests at the same time may exceed it by their
// number.
const MaxAliases = 10_000

// Aliases turns the second names of indexes. Safe for concurrent use.
type Aliases struct{ log coordinator.Log }

// NewAliases returns the aliases of the cluster.
func NewAliases(log coordinator.Log) *Aliases { return &Aliases{log: log} }

// Aliases lists all aliases by name. They are shared: do not modify. It does not block.
func (a *Aliases) Aliases() []*wire.Alias { return a.log.Catalog().Aliases() }

// Targets lists the uids of the indexes whose aliases match the patterns.
func (a *Aliases) Targets(patterns []string) (uids []string) {
	for _, alias := range a.log.Catalog().Aliases() {
		if api.MatchesIndex(patterns, alias.Name) {
			uids = append(uids, alias.Index)
		}
	}
	return uids
}

// Turn points the alias name to the index uid, and makes it if there is none. If from is set,
// the alias must point there now. It returns when every node with a lease has turned.
func (a *Aliases) Turn(ctx context.Context, name, uid string, from *string) (*wire.Alias, error) {
	if a.log.Catalog().Spoken() < wire.AliasesSince {
		return nil, apierr.AliasesNeedUpgrade()
	}
	err := a.change(ctx, &wire.AliasChange{Name: name, Index: uid, From: from}, func(c coordinator.Catalog) error {
		if _, taken := c.Index(name); taken {
			return apierr.AliasNameTaken(name)
		}
		if _, exists := c.Index(uid); !exists {
			return coordinator.MissingIndex(c, uid)
		}
		now, exists := c.Alias(name)
		if from != nil && !exists {
			return apierr.AliasPointsElsewhere(name, *from, "")
		}
		if from != nil && now.Index != *from {
			return apierr.AliasPointsElsewhere(name, *from, now.Index)
		}
		if !exists && len(c.Aliases()) >= MaxAliases {
			return apierr.TooManyAliases(MaxAliases)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &wire.Alias{Name: name, Index: uid}, nil
}

// Remove removes an alias. The index behind it stays.
func (a *Aliases) Remove(ctx context.Context, name string) error {
	var points string
	return a.change(ctx, &wire.AliasChange{Name: name, From: &points}, func(c coordinator.Catalog) error {
		now, exists := c.Alias(name)
		if !exists {
			return apierr.AliasNotFound(name)
		}
		points = now.Index
		return nil
	})
}

// change proposes a change that check accepts, and again while something else changes the
// catalogue in between.
func (a *Aliases) change(ctx context.Context, change *wire.AliasChange, check func(coordinator.Catalog) error) error {
	for {
		if err := a.log.Barrier(ctx); err != nil {
			return err
		}
		if err := check(a.log.Catalog()); err != nil {
			return err
		}
		r, err := coordinator.Propose(ctx, a.log, &wire.Update{Changes: []wire.Change{{PutAlias: change}}})
		if err != nil || !r.Fenced {
			return err
		}
	}
}
