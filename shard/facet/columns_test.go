package facet

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/wire"
)

// gated is an index whose numbers are read only once the gate opens. It counts the
// readings.
type gated struct {
	Index
	gate     chan struct{}
	readings int
}

func (g *gated) Numbers(fid uint16, desc bool, f func(float64, docset.Set) bool) error {
	g.readings++
	<-g.gate
	return g.Index.Numbers(fid, desc, f)
}

// Concurrent first searches waited on a lock, whatever became of their clients, and held
// up searches for other facets.
func TestConcurrentSearchesMakeAColumnOnceAndWaitUnderTheirContexts(t *testing.T) {
	everyAsk(t)
	docs := map[uint32]string{}
	for i := range uint32(2000) {
		docs[i] = fmt.Sprintf(`{"t":"text %d"}`, i)
	}
	s := settings.Default()
	s.Filterable = memindex.Plain("t")
	ix := memindex.New(s, memindex.Fields(docs), docs)
	fid, _ := ix.FieldID("t")
	for _, cancelFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := &gated{Index: ix, gate: make(chan struct{})}
			var kept Columns
			count := func(ctx context.Context) <-chan error {
				done := make(chan error, 1)
				go func() {
					step := &wire.FacetsStep{Max: 100, Fields: []wire.FacetAsk{{Field: fid, Order: wire.FacetCount}}}
					reply, err := Count(ctx, g, &kept, ix.Live(), step)
					if err == nil && len(reply.Facets[0].Strings) != 2000 {
						err = fmt.Errorf("%d values", len(reply.Facets[0].Strings))
					}
					done <- err
				}()
				synctest.Wait()
				return done
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			gone, leave := context.WithCancel(t.Context())
			first, second, third := count(ctx), count(t.Context()), count(gone)
			leave()
			if err := <-third; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if n := kept.Bytes(); n != 0 { // would wait for a lock
				t.Error(n)
			}
			want := 1
			if cancelFirst {
				cancel()
				want = 2
			}
			close(g.gate)
			if err := <-first; cancelFirst != errors.Is(err, context.Canceled) || !cancelFirst && err != nil {
				t.Error(err)
			}
			if err := <-second; err != nil {
				t.Error(err)
			}
			if g.readings != want {
				t.Errorf("%d columns were made, want %d", g.readings, want)
			}
		})
	}
}
