package schedule

import (
	"context"

	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/wire"
)

// executor tells how to run batches of tasks of one kind. To add a kind of tasks, add its row
// here and in coordinator/task.
type executor struct {
	// step is the public name of a batch's first step; "" means that of documents.
	step step
	// run does the work of a batch. It is nil for kinds that are folded with others of their
	// index, like documents, and for kinds that are handled elsewhere (cancelation).
	run func(*batchRun, context.Context) (*outcome, error)
	// exclusive: nothing else runs at the same time.
	exclusive bool
}

var executors map[wire.Kind]executor

func init() { // the rows refer to methods that read the map
	executors = map[wire.Kind]executor{
		task.SettingsUpdate:   {step: "retrieving and merging the settings"},
		task.IndexCreation:    {step: "creating the index", run: (*batchRun).create},
		task.IndexUpdate:      {step: "updating the index", run: (*batchRun).change},
		task.IndexDeletion:    {step: "deleting the index"},
		task.IndexSwap:        {step: "swapping the indexes", run: (*batchRun).swap},
		task.IndexCompaction:  {step: "compacting the index", run: (*batchRun).compact},
		task.TaskCancelation:  {step: "updating tasks"},
		task.TaskDeletion:     {step: "deleting tasks", run: (*batchRun).deleteTasks},
		task.DumpCreation:     {step: "start the dump creation", run: (*batchRun).dump, exclusive: true},
		task.SnapshotCreation: {step: "start the snapshot creation", run: (*batchRun).snapshot, exclusive: true},
		task.Export:           {step: "exporting the documents", run: (*batchRun).export},
	}
}

// runOf makes a batch of one or several tasks that are not folded by index.
func runOf(strategy string, tasks ...*wire.Task) *batchRun {
	e := executors[tasks[0].Kind]
	return &batchRun{tasks: clone(tasks), strategy: strategy, work: e.run, exclusive: e.exclusive}
}

// workOf returns the work of a batch of an index.
func workOf(k fold.Kind, first wire.Kind) func(*batchRun, context.Context) (*outcome, error) {
	switch k {
	case fold.Drop:
		return (*batchRun).drop
	case fold.Rules:
		return (*batchRun).rules
	case fold.Alone:
		if run := executors[first].run; run != nil {
			return run
		}
	}
	return (*batchRun).documents
}
