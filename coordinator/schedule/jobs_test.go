package schedule

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/wire"
)

// A regression test: a dump or snapshot failed with the code "internal" when a node died that
// it read from, though another node had all the data.
func TestAJobIsRetriedWhileANodeIsAway(t *testing.T) {
	for name, away := range map[string]error{
		"the link says so":    fmt.Errorf("read shard 0: %w", wire.ErrUnavailable),
		"a search says so":    fmt.Errorf("read documents: %w", apierr.ShardUnavailable()),
		"its version is gone": fmt.Errorf("read shard 0: %w", wire.ErrGone),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			tries := 0
			r.cfg.Jobs.Dump = func(context.Context, *wire.Task) (string, error) {
				if tries++; tries < 3 {
					return "", away
				}
				return "20260101-000000000", nil
			}
			r.run()
			uid := r.must(r.writer.Dump(t.Context(), ""))
			r.expect(uid, wire.Succeeded, `{"dumpUid":"20260101-000000000"}`, "")
		})
	}
}

// After JobPatience the task fails and the queue continues.
func TestAJobWhoseNodeStaysAwayFails(t *testing.T) {
	r := newRig(t)
	r.cfg.JobPatience = 50 * time.Millisecond
	r.cfg.Jobs.Snapshot = func(context.Context) error { return fmt.Errorf("read shard 0: %w", wire.ErrUnavailable) }
	r.run()
	uid := r.must(r.writer.Snapshot(t.Context()))
	next := r.add("m", `{"id":1}`)
	if got := r.expect(uid, wire.Failed, "", "No copy of a part of the data answers at the moment: retry later."); got.Error.Code != "shard_unavailable" {
		t.Errorf("code %s", got.Error.Code)
	}
	r.expect(next, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
}

// Only jobs that wait for a node are retried.
func TestAJobThatFailsByItselfIsNotRetried(t *testing.T) {
	r := newRig(t)
	tries := 0
	r.cfg.Jobs.Snapshot = func(context.Context) error {
		tries++
		return errors.New("the folder of snapshots is no folder")
	}
	r.run()
	r.expect(r.must(r.writer.Snapshot(t.Context())), wire.Failed, "", "the folder of snapshots is no folder")
	if tries != 1 {
		t.Errorf("%d tries", tries)
	}
}
