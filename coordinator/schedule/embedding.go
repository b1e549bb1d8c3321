package schedule

import (
	"context"
	"strings"
	"time"

	"shoal/wire"
	"shoal/wire/await"
)

// embeddingShown is the interval at which builders are asked how far their vectors are.
const embeddingShown = time.Second

// watchEmbedding shows in the progress of the run how far a build is with vectors from
// embedders, until stop is called.
func (r *batchRun) watchEmbedding(ctx context.Context, node wire.NodeID, req *wire.BuildRequest) (stop func()) {
	if !r.embeds {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	ask, shard := &wire.EmbeddingRequest{DeltaID: req.DeltaID}, req.Key.Shard
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(await.Until(embeddingShown)):
			}
			if figures, err := r.shards.Embedding(ctx, node, ask); err == nil { // an older node does not know
				r.showEmbedding(shard, figures)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
		r.showEmbedding(shard, nil)
	}
}

// showEmbedding records the figures of one shard's build, nil when it has ended. While calls
// to an embedder pause, the run counts as waiting.
func (r *batchRun) showEmbedding(shard uint16, figures *wire.EmbedderFigures) {
	all := r.progress.embedding(r, shard, figures)
	switch {
	case all.Waiting > 0:
		reason, _, _ := strings.Cut(all.LastError, "\n")
		r.waitsFor("an embedder: " + reason)
	case figures != nil:
		r.progress.goesOn(r)
	}
}

// embedding replaces the figures of one shard's build and returns the sum of all shards.
func (b *progressBook) embedding(r *batchRun, shard uint16, figures *wire.EmbedderFigures) wire.EmbedderFigures {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entry(r)
	switch {
	case figures == nil:
		delete(e.embedding, shard)
	case e.embedding == nil:
		e.embedding = map[uint16]wire.EmbedderFigures{shard: *figures}
	default:
		e.embedding[shard] = *figures
	}
	return e.embedded()
}

// embedded sums the figures of all shards that are being built.
func (e *progressEntry) embedded() (all wire.EmbedderFigures) {
	for _, f := range e.embedding {
		all.Add(&f)
	}
	return all
}
