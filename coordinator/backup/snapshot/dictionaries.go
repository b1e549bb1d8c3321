package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"shoal/api/settings"
	"shoal/coordinator/backup/restore"
	"shoal/text/dictionary"
	"shoal/wire"
)

// words refuses indexes that need a dictionary which some node lacks, because that node would
// have to exit as soon as it gets the index (docs/adr/0018). The leader asks later nodes before
// they may join.
func (c *RestoreConfig) words(ctx context.Context, indexes []*wire.Index) error {
	needed := wire.NeededDictionaries(indexes)
	if missing := needed &^ c.Dictionaries; missing != 0 {
		return fmt.Errorf("its indexes need a dictionary that this node does not have (%s): %s", missing, dictionary.Remedy)
	}
	if needed == 0 {
		return nil
	}
	if err := restore.AwaitVersion(ctx, c.Log, c.Progress, wire.DictionariesSince, "its indexes are cut by dictionaries"); err != nil {
		return err
	}
	var lacking []string
	for _, n := range c.Log.Catalog().Nodes() {
		if missing := needed &^ n.Dictionaries; missing != 0 {
			lacking = append(lacking, fmt.Sprintf("%s (%s)", n.Name, missing))
		}
	}
	if len(lacking) > 0 {
		return fmt.Errorf("its indexes need dictionaries that these nodes do not have: %s. On these nodes, %s; or remove them", strings.Join(lacking, ", "), dictionary.Remedy)
	}
	return nil
}

// known waits until all nodes know what the snapshot uses: aliases, and settings of its
// indexes.
func (c *RestoreConfig) known(ctx context.Context, record *catalogue) error {
	if len(record.Aliases) > 0 {
		if err := restore.AwaitVersion(ctx, c.Log, c.Progress, wire.AliasesSince, restore.ForAliases); err != nil {
			return err
		}
	}
	var used []*settings.Settings
	for _, x := range record.Indexes {
		used = append(used, x.DecodedSettings())
	}
	return restore.AwaitSettings(ctx, c.Log, c.Progress, used)
}

// rows waits until all nodes read shards that number their documents without gaps, if indexes
// have such shards.
func (c *RestoreConfig) rows(ctx context.Context, indexes []*wire.Index) error {
	numbered := func(s wire.ShardStats) bool { return s.Rows }
	if !slices.ContainsFunc(indexes, func(x *wire.Index) bool { return slices.ContainsFunc(x.Stats, numbered) }) {
		return nil
	}
	return restore.AwaitVersion(ctx, c.Log, c.Progress, wire.RowsSince, "its indexes have shards of a newer form")
}
