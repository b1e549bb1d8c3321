package link

import (
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// Register serves this node's shards to other nodes.
func Register(s *peer.Server, h *shard.Host) {
	peer.Handle(s, methodResolve, h.Resolve)
	peer.Handle(s, methodBuild, h.Build)
	peer.Handle(s, methodEmbedding, h.Embedding)
	peer.Handle(s, methodList, h.List)
	peer.Handle(s, methodCompact, h.Compact)
	s.HandleStream(methodSearch, func(st peer.Stream) error { return serveSearch(st, h.Searches) })
	s.HandleStream(methodCopy, func(st peer.Stream) error { return serveCopy(st, h.Copies) })
	s.HandleStream(methodShip, func(st peer.Stream) error {
		if _, err := h.Receive(&peer.ChunkReader{Recv: st.Recv}); err != nil {
			return err
		}
		return st.Send(&wire.BlobChunk{Last: true})
	})
}

// serveCopy is the serving side of fetch.
func serveCopy(st peer.Stream, c *shard.Copies) error {
	var req wire.CopyRequest
	if err := st.Recv(&req); err != nil {
		return err
	}
	w := &peer.ChunkWriter{Send: st.Send}
	if req.Whole {
		if _, err := c.SendCopy(st.Context(), req.Ref.Key, req.Version, w); err != nil {
			return err
		}
	} else if err := c.Send(&req.Ref, w); err != nil {
		return err
	}
	return w.Close()
}
