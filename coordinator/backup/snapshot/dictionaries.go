package snapshot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shoal/text/dictionary"
	"shoal/wire"
)

// knownWithin is how long a restoration waits until the cluster knows what its members
// have: right after the first start nobody has told it yet.
const knownWithin = 30 * time.Second

// words refuses indexes that are cut by a dictionary which some node lacks: that node would
// have to end as soon as they are there (docs/adr/0018). Nodes that join later are asked by
// the leader before they are let in.
func (c *RestoreConfig) words(ctx context.Context, indexes []*wire.Index) error {
	needed := wire.NeededDictionaries(indexes)
	if missing := needed &^ c.Dictionaries; missing != 0 {
		return fmt.Errorf("its indexes are cut by a dictionary that this node does not have (%s): %s", missing, dictionary.Remedy)
	}
	if needed == 0 {
		return nil
	}
	if err := c.membersKnown(ctx); err != nil {
		return err
	}
	var lacking []string
	for _, n := range c.Log.Catalog().Nodes() {
		if missing := needed &^ n.Dictionaries; missing != 0 {
			lacking = append(lacking, fmt.Sprintf("%s (%s)", n.Name, missing))
		}
	}
	if len(lacking) > 0 {
		return fmt.Errorf("its indexes are cut by dictionaries that these nodes do not have: %s. There, %s; or remove the node", strings.Join(lacking, ", "), dictionary.Remedy)
	}
	return nil
}

// membersKnown waits until all members have told which dictionaries they have.
func (c *RestoreConfig) membersKnown(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, knownWithin)
	defer cancel()
	told := time.NewTimer(2 * time.Second)
	defer told.Stop()
	for {
		changed := c.Log.Changed()
		if c.Log.Catalog().Spoken() >= wire.DictionariesSince {
			return nil
		}
		select {
		case <-changed:
		case <-told.C:
			c.Progress.Info("waiting until all nodes have told which dictionaries they have")
		case <-within.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("its indexes are cut by dictionaries, and a node has not told within %s which it has: start all nodes with this program, or remove those that are gone", knownWithin)
		}
	}
}
