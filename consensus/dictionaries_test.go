package consensus

import (
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/text"
	"shoal/text/dictionary"
	"shoal/wire"
)

func TestANodeWithoutADictionaryThatCountsIsNotLetIn(t *testing.T) {
	s := newSociety(t)
	s.three()
	ctx := within(t, 20*time.Second)
	x := &wire.Index{UID: "m", Generations: wire.Generations{TextFormat: text.Format(dictionary.Japanese)}}
	if _, err := s.leader().Propose(ctx, &wire.Command{Update: &wire.Update{RequestID: "x", Changes: []wire.Change{{PutIndex: x}}}}); err != nil {
		t.Fatal(err)
	}
	stop := s.never("a node without the dictionary is counted", func(ids []wire.NodeID) bool { return slices.Contains(ids, nodeName(3)) })
	s.enter(3, "d")
	eventually(t, "it to hear why", func() bool {
		return s.told(nodeName(3), func(v Verdict) bool {
			return strings.Contains(v.Waits, "japanese") && strings.Contains(v.Waits, "--dictionaries")
		})
	})
	stop()
	s.mu.Lock()
	s.words = dictionary.All
	s.mu.Unlock()
	eventually(t, "it to be let in with it", func() bool { return s.leader().raft.member(nodeName(3)) })
}
