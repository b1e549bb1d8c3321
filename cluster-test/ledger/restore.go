package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	clustertest "shoal/cluster-test"
)

// restored makes a cluster of a dump or a snapshot of this round, and checks that it holds
// what the model says of the tasks that it has. before is the world when the round began;
// task made the file.
func (l *life) restored(ctx context.Context, before *world, list []told, task uint32, option string) error {
	file, err := l.file(ctx, task, option)
	if err != nil || file == "" {
		return err
	}
	dir, err := os.MkdirTemp(l.dir, "restored-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := clustertest.New(l.binary, dir, 1, "SHOAL_MASTER_KEY="+masterKey)
	if err != nil {
		return err
	}
	defer c.Close()
	n := c.Nodes[0]
	n.Key = masterKey
	n.Option("dump-dir", filepath.Join(dir, "dumps"))
	n.Option("snapshot-dir", filepath.Join(dir, "snapshots"))
	n.Option(option, file)
	if err := c.Start(ctx); err != nil {
		return fmt.Errorf("%s of task %d: %w: %s", option, task, err, n.Tail(5))
	}
	if err := settle(ctx, n); err != nil {
		return fmt.Errorf("%s of task %d: %w", option, task, err)
	}
	has, err := tasks(ctx, n, l.closed)
	if err != nil {
		return err
	}
	if err := complete(has, list, task); err != nil {
		return fmt.Errorf("%s of task %d: %w", option, task, err)
	}
	w := before.clone()
	for i := range has {
		t := &has[i]
		e, err := l.book.find(t)
		if err != nil {
			return fmt.Errorf("%s of task %d: %w", option, task, err)
		}
		if err := l.carryOut(w, e.q, t, has); err != nil {
			return fmt.Errorf("%s of task %d: task %d: %w: %v", option, task, t.UID, err, e)
		}
	}
	if err := compare(ctx, n, w); err != nil {
		return fmt.Errorf("%s of task %d: %w", option, task, err)
	}
	l.restores[option]++
	return nil
}

// complete checks that what was restored has all tasks that were there when the file was
// asked for.
func complete(has, list []told, task uint32) error {
	known := map[uint32]bool{}
	for _, t := range has {
		known[t.UID] = true
	}
	for _, t := range list {
		if t.UID < task && !known[t.UID] {
			return fmt.Errorf("task %d is not in it", t.UID)
		}
	}
	return nil
}

// file is what a task wrote; "" if it did not succeed.
func (l *life) file(ctx context.Context, task uint32, option string) (string, error) {
	var t struct {
		Status  string `json:"status"`
		Details struct {
			DumpUID string `json:"dumpUid"`
		} `json:"details"`
		FinishedAt json.RawMessage `json:"finishedAt"`
	}
	if err := ask(ctx, l.roster.all()[0], "GET", fmt.Sprintf("/tasks/%d", task), nil, &t); err != nil || t.Status != "succeeded" {
		return "", err
	}
	if option == importDump {
		return filepath.Join(l.dir, "dumps", t.Details.DumpUID+".dump"), nil
	}
	files, err := filepath.Glob(filepath.Join(l.dir, "snapshots", "*.snapshot"))
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("the snapshot of task %d is not there", task)
	}
	return newest, nil
}

const (
	importDump     = "import-dump"
	importSnapshot = "import-snapshot"
)
