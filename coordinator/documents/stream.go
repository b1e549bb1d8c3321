package documents

import (
	"context"
	"math"

	"shoal/coordinator"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// streamChunk is the number of documents per read from a shard.
const streamChunk = 256

// Stream reads all documents of an index in listing order, with their vectors in stored form,
// at the version of its record. Nothing else may run on the index meanwhile: when another
// version is published, reads end with wire.ErrGone.
type Stream struct {
	Shards coordinator.Shards
	Index  *wire.Index
	// filter restricts the documents (JSON as the client sent it, nil for all).
	filter []byte
}

// shardCursor reads one shard.
type shardCursor struct {
	shard    *wire.Shard
	ordinals []uint32        // still to read
	docs     []wire.Document // read, not visited yet
}

// Each calls visit with every document. visit may keep the bytes.
func (d *Stream) Each(ctx context.Context, visit func(ordinal uint32, doc []byte) error) error {
	cursors := make([]*shardCursor, len(d.Index.Shards))
	for i := range d.Index.Shards {
		c := &shardCursor{shard: &d.Index.Shards[i]}
		reply, err := d.list(ctx, c.shard, &wire.ListRequest{Filter: d.filter, Limit: math.MaxInt32, KeysOnly: true})
		if err != nil {
			return err
		}
		c.ordinals = make([]uint32, len(reply.Documents))
		for k := range reply.Documents {
			c.ordinals[k] = reply.Documents[k].Ordinal
		}
		cursors[i] = c
	}
	for {
		var first *shardCursor
		for _, c := range cursors {
			if len(c.docs) == 0 && len(c.ordinals) > 0 {
				if err := d.fill(ctx, c); err != nil {
					return err
				}
			}
			if len(c.docs) > 0 && (first == nil || c.docs[0].Ordinal < first.docs[0].Ordinal) {
				first = c
			}
		}
		if first == nil {
			return nil
		}
		doc := first.docs[0]
		first.docs = first.docs[1:]
		if err := visit(doc.Ordinal, doc.JSON); err != nil {
			return err
		}
	}
}

// fill reads the next chunk of a shard.
func (d *Stream) fill(ctx context.Context, c *shardCursor) error {
	n := min(len(c.ordinals), streamChunk)
	reply, err := d.list(ctx, c.shard, &wire.ListRequest{Ordinals: c.ordinals[:n], HasOrdinals: true, RetrieveVectors: true, StoredVectors: true})
	if err != nil {
		return err
	}
	c.ordinals, c.docs = c.ordinals[n:], reply.Documents
	return nil
}

func (d *Stream) list(ctx context.Context, s *wire.Shard, r *wire.ListRequest) (*wire.ListReply, error) {
	r.Index = replica.PinNewest(d.Index, s)
	return replica.Ask(ctx, d.Shards, "", s, func(n wire.NodeID) (*wire.ListReply, error) { return d.Shards.List(ctx, n, r) })
}
