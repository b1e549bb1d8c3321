package restore

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/wire"
)

// knownWithin bounds the wait until the cluster knows the programs of its members. Right after
// the first start it knows none. A variable so that tests need not wait.
var knownWithin = 30 * time.Second

// AwaitSettings waits until all members know the settings of the indexes that are restored.
func AwaitSettings(ctx context.Context, log coordinator.Log, progress *slog.Logger, all []*settings.Settings) error {
	for _, need := range []struct {
		uses    func(*settings.Settings) bool
		version int
		reason  string
	}{
		{(*settings.Settings).BySameObject, wire.SameObjectSince, ForObjects},
		{func(s *settings.Settings) bool { return s.ExpiryAttribute != nil }, wire.ExpirySince, ForExpiry},
		{(*settings.Settings).ByInfix, wire.InfixSince, "its indexes use `infixOnAttributes`"},
	} {
		if !slices.ContainsFunc(all, need.uses) {
			continue
		}
		if err := AwaitVersion(ctx, log, progress, need.version, need.reason); err != nil {
			return err
		}
	}
	return nil
}

// ForObjects is the reason of wire.SameObjectSince.
const ForObjects = "its indexes use `features.sameObject`"

// ForExpiry is the reason of wire.ExpirySince.
const ForExpiry = "its indexes use `expiryAttribute`"

// ForAliases is the reason of wire.AliasesSince.
const ForAliases = "its indexes have aliases"

// AliasChanges returns the changes that make the aliases of another cluster, once their indexes
// are there. All nodes must know wire.AliasesSince if there are any.
func AliasChanges(aliases []*wire.Alias) (changes []wire.Change) {
	for _, a := range aliases {
		changes = append(changes, wire.Change{PutAlias: &wire.AliasChange{Name: a.Name, Index: a.Index}})
	}
	return changes
}

// AwaitVersion waits until the programs of all members know a version of the private
// contract (wire.Version), which the restored indexes need for the reason given. It fails
// when a node has not told in time that it does.
func AwaitVersion(ctx context.Context, log coordinator.Log, progress *slog.Logger, version int, reason string) error {
	within, cancel := context.WithTimeout(ctx, knownWithin)
	defer cancel()
	told := time.NewTimer(2 * time.Second)
	defer told.Stop()
	for {
		changed := log.Changed()
		if log.Catalog().Spoken() >= version {
			return nil
		}
		select {
		case <-changed:
		case <-told.C:
			progress.Info("waiting until all nodes have reported the version of their programs")
		case <-within.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%s, and a node has not reported within %s that its program knows them: start all nodes with this program, or remove those that are gone", reason, knownWithin)
		}
	}
}
