package report

import (
	"context"
	"encoding/json"
	"fmt"

	"shoal/api/apierr"
	"shoal/node/blob"
	"shoal/node/ctl"
)

type verifyRequest struct{}

// verifyReply is the JSON of a ctl.Verified.
type verifyReply struct {
	JSON []byte `msgpack:"j"`
}

// Verify makes a node ("" for this one) read all its data and compare it with the
// checksums.
func (r *Reports) Verify(ctx context.Context, name string) (json.RawMessage, error) {
	reply, err := r.verifications.Named(ctx, name, 0, &verifyRequest{})
	if err != nil {
		return nil, err
	}
	return reply.JSON, nil
}

// serveVerify verifies this node, one call at a time.
func (r *Reports) serveVerify(ctx context.Context, _ *verifyRequest) (*verifyReply, error) {
	if !r.verifying.TryLock() {
		return nil, apierr.New(apierr.CodeBadRequest, fmt.Sprintf("Node `%s` is being verified already: wait until that has ended.", r.Self.Name))
	}
	defer r.verifying.Unlock()
	out := ctl.Verified{Node: r.Self.Name, Damage: []string{}, Copies: []ctl.VerifiedCopy{}}
	log, entries, err := r.Group.VerifyLog(ctx)
	if err != nil {
		return nil, err
	}
	out.LogEntries, out.Damage = entries, append(out.Damage, log...)
	store, err := r.Host.Verify(ctx)
	if err != nil {
		return nil, err
	}
	out.Files, out.Bytes, out.Damage = store.Files, store.Bytes, append(out.Damage, store.Damage...)
	for _, c := range store.Copies {
		copied := ctl.VerifiedCopy{IndexID: c.Key.IndexID, Shard: c.Key.Shard, Version: c.Version, Delta: c.Delta, Keys: c.Keys, Sum: fmt.Sprintf("%016x", c.Sum)}
		if x, ok := r.Group.Catalog().IndexByID(c.Key.IndexID); ok {
			copied.Index = x.UID
		}
		out.Copies = append(out.Copies, copied)
	}
	payloads, read, err := blob.Verify(ctx, r.Payloads)
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
