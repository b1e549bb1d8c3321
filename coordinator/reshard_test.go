package coordinator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"shoal/wire"
)

// Another number of shards keeps every document under its ordinal; writes that
// came meanwhile follow.
func TestReshard(t *testing.T) {
	for _, size := range []int{0, 5, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRig(t, "n1", "n2", "n3")
			r.run()
			ctx := context.Background()
			var docs []string
			for i := range size {
				docs = append(docs, fmt.Sprintf(`{"id":"d%d","text":"%d %d"}`, i, i*7919, i*104729))
			}
			r.wait(r.add("m", "["+strings.Join(docs, ",")+"]", keyed("id")))
			r.wait(r.must(r.writer.DeleteDocuments(ctx, "m", []string{"d1", "d3"}, nil)))
			before := r.shards.content("m")
			k := NewCluster(r.log, Placement{}, nil, nil)
			for _, n := range []uint64{4, 1} {
				old := r.index("m")
				if _, err := k.UpdateIndex(ctx, "m", &n, nil); err != nil {
					t.Fatal(err)
				}
				late := r.add("m", `[]`)
				for {
					changed := r.log.Changed()
					if x := r.index("m"); len(x.Shards) == int(n) && x.ShardGoal == 0 {
						break
					}
					<-changed
				}
				r.wait(late)
				x := r.index("m")
				if x.ID != old.ID || x.Version <= old.Version || len(x.Next) > 0 || x.Shards[0].Number <= old.Shards[len(old.Shards)-1].Number {
					t.Errorf("after %d: %+v", n, x)
				}
				if documents(x) != uint64(len(before)) {
					t.Errorf("%d documents, had %d", documents(x), len(before))
				}
				after := r.shards.content("m")
				for id, d := range before {
					if after[id] != d {
						t.Fatalf("%s: %+v was %+v", id, after[id], d)
					}
				}
			}
			if size > 3 {
				r.wait(r.add("m", `[{"id":"new"}]`))
				if got := r.shards.content("m")["new"].ordinal; got != 1 {
					t.Errorf("the next ordinal is %d, want the smallest free 1", got)
				}
			}
		})
	}
}

// A shard count that cannot be reached is given up, not tried for ever.
func TestReshardGivesUp(t *testing.T) {
	r := newRig(t)
	r.run()
	ctx := context.Background()
	r.wait(r.add("m", `[{"id":1}]`))
	r.shards.mu.Lock()
	r.shards.hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
		return &wire.BuildReply{Err: &wire.BuildError{Failure: wire.Failure{Message: "no", Code: "internal"}}}, nil
	}
	r.shards.mu.Unlock()
	n := uint64(3)
	if _, err := NewCluster(r.log, Placement{}, nil, nil).UpdateIndex(ctx, "m", &n, nil); err != nil {
		t.Fatal(err)
	}
	for {
		changed := r.log.Changed()
		if x := r.index("m"); x.ShardGoal == 0 && len(x.Next) == 0 {
			break
		}
		<-changed
	}
	if x := r.index("m"); len(x.Shards) != 1 || documents(x) != 1 {
		t.Errorf("left %+v", x)
	}
}
