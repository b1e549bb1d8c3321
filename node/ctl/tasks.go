package ctl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// task is the part of a task that commands read.
type task struct {
	UID      uint32          `json:"uid"`
	Status   string          `json:"status"`
	Error    *taskError      `json:"error"`
	Details  json.RawMessage `json:"details"`
	Duration string          `json:"duration"`
}

type taskError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// summary is the answer of a request that enqueued a task.
type summary struct {
	TaskUID uint32 `json:"taskUid"`
}

// taskOf reads the uid of the task that a request enqueued.
func taskOf(answer []byte) (uint32, error) {
	var s summary
	if err := json.Unmarshal(answer, &s); err != nil {
		return 0, fmt.Errorf("the answer of the cluster is not understood: %w", err)
	}
	return s.TaskUID, nil
}

// ended tells whether a task has finished.
func (t *task) ended() bool { return t.Status != "enqueued" && t.Status != "processing" }

// fault is the reason why a finished task failed, nil if it succeeded.
func (t *task) fault() error {
	switch {
	case t.Status == "succeeded":
		return nil
	case t.Error != nil:
		return fmt.Errorf("task %d %s: %s (%s)", t.UID, t.Status, t.Error.Message, t.Error.Code)
	}
	return fmt.Errorf("task %d was %s", t.UID, t.Status)
}

// await waits until a task has finished and returns it. It calls tick after each look.
func (c *client) await(ctx context.Context, uid uint32, tick func(*task)) (*task, error) {
	for pause := 20 * time.Millisecond; ; pause = min(pause*3/2, time.Second) {
		var t task
		if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/tasks/%d", uid), nil, &t); err != nil {
			return nil, fmt.Errorf("task %d: %w", uid, err)
		}
		if tick != nil {
			tick(&t)
		}
		if t.ended() {
			return &t, nil
		}
		if err := c.pause(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// Dump makes the cluster write a dump.
type Dump struct{ Remote }

// Run waits until the dump is written and prints its uid.
func (d *Dump) Run(ctx context.Context, out io.Writer) error {
	c, err := d.open()
	if err != nil {
		return err
	}
	t, err := c.perform(ctx, "/dumps")
	if err != nil {
		return err
	}
	var details struct {
		DumpUID string `json:"dumpUid"`
	}
	if err := json.Unmarshal(t.Details, &details); err != nil {
		return fmt.Errorf("task %d: %w", t.UID, err)
	}
	leader := "-"
	if now, err := c.state(ctx); err == nil { // the dump itself is written
		leader = orDash(now.Leader)
	}
	fmt.Fprintf(out, "%s.dump is in the --dump-dir of the node that led (%s leads now).\n", details.DumpUID, leader)
	return nil
}

// Snapshot makes the cluster take a snapshot.
type Snapshot struct{ Remote }

// Run waits until the snapshot is taken.
func (s *Snapshot) Run(ctx context.Context, out io.Writer) error {
	c, err := s.open()
	if err != nil {
		return err
	}
	if _, err := c.perform(ctx, "/snapshots"); err != nil {
		return err
	}
	now, err := c.state(ctx)
	switch {
	case err != nil: // the snapshot itself is taken
		fmt.Fprintln(out, "The snapshot is taken.")
	case now.Snapshots != "":
		fmt.Fprintf(out, "The snapshot is in %s.\n", now.Snapshots)
	default:
		fmt.Fprintf(out, "The snapshot is in the --snapshot-dir of the node that led (%s leads now).\n", orDash(now.Leader))
	}
	return nil
}

// perform posts to a path that enqueues a task, and waits for it.
func (c *client) perform(ctx context.Context, path string) (*task, error) {
	var s summary
	if err := c.call(ctx, http.MethodPost, path, nil, &s); err != nil {
		return nil, err
	}
	t, err := c.await(ctx, s.TaskUID, nil)
	if err != nil {
		return nil, err
	}
	return t, t.fault()
}
