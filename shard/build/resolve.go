package build

import (
	"bytes"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/shard/version"
	"shoal/wire"
)

// Resolve returns the payload positions of documents that the base does not hold, in
// the order in which they get ordinals.
func Resolve(ctx context.Context, env *Env, base *version.View, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	f := newFolder(env, base, req.PrimaryKey, req.SlotLo, req.SlotHi)
	// Filters and edits never create documents.
	ops := slices.DeleteFunc(slices.Clone(req.Ops), func(op wire.Op) bool {
		return op.Kind == wire.OpDeleteFilter || op.Kind == wire.OpEdit
	})
	if err := f.fold(ctx, ops); err != nil {
		return nil, err
	}
	reply := &wire.ResolveReply{New: f.positions}
	if req.WantLive {
		live := roaring.BitmapOf(base.Rows().Ordinals(base.Live()).AppendTo(nil)...)
		live.RunOptimize()
		var buf bytes.Buffer
		if _, err := live.WriteTo(&buf); err != nil {
			return nil, err
		}
		reply.Live = buf.Bytes()
	}
	return reply, nil
}
