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

// known waits until all nodes know what the snapshot uses: aliases, settings of its indexes, and
// shards that number their documents without gaps.
func (c *RestoreConfig) known(ctx context.Context, record *catalogue) error {
	if len(record.Aliases) > 0 {
		if err := restore.AwaitVersion(ctx, c.Log, c.Progress, wire.AliasesSince, restore.ForAliases); err != nil {
			return err
		}
	}
	var used []*settings.Settings
	numbered := false
	for _, x := range record.Indexes {
		used = append(used, x.DecodedSettings())
		numbered = numbered || slices.ContainsFunc(x.Stats, func(s wire.ShardStats) bool { return s.Rows })
	}
	if numbered {
		if err := restore.AwaitVersion(ctx, c.Log, c.Progress, wire.RowsSince, "its indexes have shards of a newer form"); err != nil {
			return err
		}
	}
	return restore.AwaitSettings(ctx, c.Log, c.Progress, used)
}
