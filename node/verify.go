package node

import (
	"context"
	"encoding/json"
	"fmt"

	"shoal/api/apierr"
	"shoal/node/blob"
	"shoal/node/ctl"
	"shoal/node/folder"
)

const methodVerify = "cluster.verify"

type verifyRequest struct{}

// verifyReply is the JSON of a ctl.Verified.
type verifyReply struct {
	JSON []byte `msgpack:"j"`
}

// Verify has a node read everything it has and compare it with its checksums; "" is this
// node.
func (c clusterPort) Verify(ctx context.Context, name string) (json.RawMessage, error) {
	reply, err := askMember(ctx, c.n, name, methodVerify, 0, &verifyRequest{}, c.n.serveVerify)
	if err != nil {
		return nil, err
	}
	return reply.JSON, nil
}

// serveVerify verifies this node; once at a time.
func (n *Node) serveVerify(ctx context.Context, _ *verifyRequest) (*verifyReply, error) {
	if !n.verifying.TryLock() {
		return nil, apierr.New(apierr.CodeBadRequest, fmt.Sprintf("Node `%s` is being verified already: wait until that has ended.", n.cfg.Name))
	}
	defer n.verifying.Unlock()
	out := ctl.Verified{Node: n.cfg.Name, Damage: []string{}, Copies: []ctl.VerifiedCopy{}}
	log, entries, err := n.group.VerifyLog(ctx)
	if err != nil {
		return nil, err
	}
	out.LogEntries, out.Damage = entries, append(out.Damage, log...)
	store, err := n.host.Verify(ctx)
	if err != nil {
		return nil, err
	}
	out.Files, out.Bytes, out.Damage = store.Files, store.Bytes, append(out.Damage, store.Damage...)
	for _, c := range store.Copies {
		copied := ctl.VerifiedCopy{IndexID: c.Key.IndexID, Shard: c.Key.Shard, Version: c.Version, Delta: c.Delta, Keys: c.Keys, Sum: fmt.Sprintf("%016x", c.Sum)}
		if x, ok := n.group.Catalog().IndexByID(c.Key.IndexID); ok {
			copied.Index = x.UID
		}
		out.Copies = append(out.Copies, copied)
	}
	payloads, read, err := blob.Verify(ctx, n.dir(folder.DirBlobs))
	if err != nil {
		return nil, err
	}
	out.PayloadBytes, out.Damage = read, append(out.Damage, payloads...)
	b, err := json.Marshal(&out)
	if err != nil {
		return nil, fmt.Errorf("what was verified: %w", err)
	}
	return &verifyReply{JSON: b}, nil
}
