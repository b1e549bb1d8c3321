package fsm

import (
	"fmt"

	"shoal/wire"
)

// addTask is a command that enqueues a task of an index.
func addTask(index string) *wire.Command {
	return &wire.Command{Enqueue: &wire.Enqueue{Task: wire.Task{IndexUID: &index, Kind: "documentAdditionOrUpdate"}}}
}

// finish is the commit that ends tasks as succeeded.
func finish(term uint64, uids ...uint32) *wire.Command {
	c := wire.Commit{Term: term, Batch: wire.Batch{UID: wire.NoBatch, Tasks: uids}}
	for _, uid := range uids {
		c.Results = append(c.Results, wire.TaskResult{UID: uid, Status: wire.Succeeded})
	}
	return &wire.Command{Commit: []wire.Commit{c}}
}

func nodeName(i int) wire.NodeID { return wire.NodeID(fmt.Sprintf("node-%d", i)) }

func ptr[T any](v T) *T { return &v }
