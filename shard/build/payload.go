package build

import (
	"bytes"
	"context"
	"errors"
	"io"

	"shoal/api/payload"
	"shoal/wire"
	"shoal/wire/staged"
)

// readPayload calls each for the documents of an operation's payload in order: the
// external id under the primary key, the raw document, which is valid only during the
// call, and the position in the batch. It skips documents of other shards' slots.
func (e *Env) readPayload(ctx context.Context, op *wire.Op, primaryKey string, lo, hi uint32, each func(id string, doc []byte, position uint64) error) error {
	in, err := e.openPayload(ctx, &op.Payload)
	if err != nil {
		return err
	}
	return errors.Join(readFrames(ctx, in, op, primaryKey, lo, hi, each), in.Close())
}

func (e *Env) openPayload(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) {
	if p.Blob == nil {
		return io.NopCloser(bytes.NewReader(p.Inline)), nil
	}
	return e.OpenPayload(ctx, p)
}

func readFrames(ctx context.Context, in io.Reader, op *wire.Op, primaryKey string, lo, hi uint32, each func(id string, doc []byte, position uint64) error) error {
	r, err := staged.NewReader(in)
	if err != nil {
		return err
	}
	key, keyed := r.Key()
	keyed = keyed && key == primaryKey
	if keyed {
		r.Only(lo, hi)
	}
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		frame, position, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		id := string(frame.ID)
		if !keyed {
			if id, err = documentID(frame.Document, primaryKey); err != nil {
				return failing(err, op.Task, op.FirstPos+position)
			}
			if slot := uint32(wire.SlotOf(id)); slot < lo || slot >= hi {
				continue
			}
		}
		if err := each(id, frame.Document, op.FirstPos+position); err != nil {
			return err
		}
	}
}

// documentID returns the id of a document that was staged under another key.
func documentID(raw []byte, primaryKey string) (string, error) {
	members, err := payload.Split(raw)
	if err != nil {
		return "", err
	}
	id, failure := payload.DocumentID(&payload.Document{Raw: raw, Members: members}, primaryKey)
	if failure != nil {
		return "", failure
	}
	return id, nil
}
