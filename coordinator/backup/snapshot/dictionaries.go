package snapshot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shoal/text/dictionary"
	"shoal/wire"
)

// knownWithin bounds the wait until the cluster knows the dictionaries of its members. Right
// after the first start it knows none.
const knownWithin = 30 * time.Second

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
		return fmt.Errorf("its indexes need dictionaries that these nodes do not have: %s. On these nodes, %s; or remove them", strings.Join(lacking, ", "), dictionary.Remedy)
	}
	return nil
}

// membersKnown waits until all members have reported their dictionaries.
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
			c.Progress.Info("waiting until all nodes have reported their dictionaries")
		case <-within.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("its indexes need dictionaries, and a node has not reported within %s which ones it has: start all nodes with this program, or remove those that are gone", knownWithin)
		}
	}
}
