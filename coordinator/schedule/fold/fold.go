package fold

import (
	"fmt"

	"shoal/coordinator/task"
	"shoal/wire"
)

// Kind is the kind of a batch of one index.
type Kind uint8

// The kinds of batches.
const (
	Documents     Kind = iota // additions, perhaps with deletions
	Deletions                 // deletions by id or filter only
	Clear                     // delete all documents
	Settings                  // settings changes
	ClearSettings             // both
	Drop                      // the index is deleted
	Alone                     // one task that cannot be batched with others
	Rules                     // dynamic search rules
)

// Lane is the state of the index that a batch is formed for.
type Lane struct {
	UID        string
	Exists     bool
	PrimaryKey *string
	// OnlyOnes: the candidates are all enqueued tasks of the cluster. The strategy text depends
	// on it.
	OnlyOnes bool
	// MaxTasks and MaxBytes limit a batch; 0 = no limit.
	MaxTasks int
	MaxBytes int64
}

// Batch is a batch of one lane: the first Count candidates.
type Batch struct {
	Kind  Kind
	Count int
	// Create: the first task may create the index, so the batch creates a missing one.
	Create   bool
	Strategy string
}

// Form folds the enqueued tasks of one index, oldest first, into the next batch (spec write-api
// 17.2). It needs at least one candidate. Pure.
func Form(l Lane, tasks []*wire.Task) (Batch, error) {
	limit, reason := candidates(l, tasks)
	f := folding{Lane: l, exists: l.Exists}
	stop, err := f.first(tasks[0])
	if err != nil {
		return Batch{}, err
	}
	n := 1
	for stop == "" && n < limit {
		var took bool
		if took, stop, err = f.next(tasks[n]); err != nil {
			return Batch{}, err
		}
		if took {
			n++
		}
	}
	if stop == "" {
		stop = reason
	}
	return Batch{Kind: f.kind, Count: n, Create: f.create, Strategy: stop}, nil
}

// maxSettings bounds the settings that the tasks of one batch send together, in bytes. One log
// entry holds their details and twice the resulting settings. Without the bound, tasks failed
// together that succeed alone.
const maxSettings = 1 << 20

// candidates applies the limits. It returns how many tasks may be folded, and the strategy text
// if all of them are.
func candidates(l Lane, tasks []*wire.Task) (int, string) {
	var size int64
	settings := 0
	for i, t := range tasks {
		if l.MaxTasks > 0 && i >= l.MaxTasks {
			return i, fmt.Sprintf("batched up to configured batch limit of %d tasks", l.MaxTasks)
		}
		if task.ShapeOf(t) == task.Settings {
			settings += len(t.Body)
		}
		if settings > maxSettings && i > 0 {
			return i, fmt.Sprintf("stopped before task with id %d because the settings of the batch would be more than %dB", t.UID, maxSettings)
		}
		size += t.Payload.RawSize
		if l.MaxBytes > 0 && size > l.MaxBytes && i > 0 {
			return i, fmt.Sprintf("batched up to configured batch size limit of %dB with a total of %dB", l.MaxBytes, size)
		}
	}
	if l.OnlyOnes {
		return len(tasks), "batched all enqueued tasks"
	}
	return len(tasks), "batched all enqueued tasks for index `" + l.UID + "`"
}

// folding is the accumulator of Form.
type folding struct {
	Lane
	kind     Kind
	exists   bool // it exists, or the folded tasks create it
	create   bool
	filtered bool // Deletions: includes one by filter
	// mayCreate tells whether the batch may create the index, hasRight whether its kind has
	// that question. named is the key that a Documents names.
	mayCreate, hasRight bool
	named               *string
}

// first starts the batch; a non-empty stop ends it.
func (f *folding) first(t *wire.Task) (stop string, err error) {
	shape := task.ShapeOf(t)
	may, right, named, err := rights(shape, t)
	if err != nil {
		return "", err
	}
	f.mayCreate, f.hasRight = may, right
	f.create = may
	f.exists = f.exists || may
	switch shape {
	case task.Add:
		f.kind, f.named = Documents, named
		if f.PrimaryKey != nil && named != nil && *named != *f.PrimaryKey {
			return fmt.Sprintf("stopped batching before task with id %d because its primary key `%s` is different from the primary key of the index `%s`",
				t.UID, *named, *f.PrimaryKey), nil
		}
	case task.DeleteIDs, task.DeleteFilter:
		f.kind, f.filtered = Deletions, shape == task.DeleteFilter
	case task.Clear:
		f.kind = Clear
	case task.Settings:
		f.kind = Settings
	case task.DropIndex:
		f.kind = Drop
		return stopDrop(t), nil
	case task.Rules:
		f.kind = Rules
	default:
		f.kind = Alone
		f.create = t.Kind == task.IndexCreation
		return StopAlone(t), nil
	}
	return "", nil
}

// next tries to fold one more task. took tells whether the batch includes it. A non-empty stop
// ends the batch after t if it was taken, else before it.
func (f *folding) next(t *wire.Task) (took bool, stop string, err error) {
	shape := task.ShapeOf(t)
	may, right, named, err := rights(shape, t)
	if err != nil {
		return false, "", err
	}
	key, stop := f.keyAfter(shape, t, named)
	if stop != "" {
		return false, stop, nil
	}
	switch {
	case shape == task.Alone || shape == task.None:
		return false, StopAlone(t), nil
	case !f.exists && f.hasRight && !f.mayCreate && right && may:
		return false, stopCreation(t), nil
	case shape == task.Rules || f.kind == Rules:
		return f.nextRules(shape, t)
	case shape == task.DropIndex:
		f.kind = Drop
		return true, stopDrop(t), nil
	}
	switch f.kind {
	case Documents:
		took, stop = f.nextDocuments(shape, t, key)
	case Deletions:
		took, stop = f.nextDeletions(shape, t, may, named)
	case Clear:
		took, stop = shape == task.Clear || isDeletion(shape), ""
		if !took {
			stop = stopSettings(t)
		}
	default:
		took, stop = f.nextSettings(shape, t)
	}
	return took, stop, nil
}

func (f *folding) nextDocuments(shape task.Shape, t *wire.Task, key *string) (bool, string) {
	switch shape {
	case task.Add, task.DeleteIDs:
		f.named = key
		return true, ""
	case task.Clear:
		f.become(Clear)
		return true, ""
	case task.DeleteFilter:
		return false, fmt.Sprintf("stopped before task with id %d because it is a deletion by filter which cannot be batched with document operations", t.UID)
	}
	return false, stopSettings(t)
}

func (f *folding) nextDeletions(shape task.Shape, t *wire.Task, may bool, named *string) (bool, string) {
	switch shape {
	case task.DeleteIDs, task.DeleteFilter:
		f.filtered = f.filtered || shape == task.DeleteFilter
		return true, ""
	case task.Clear:
		f.become(Clear)
		return true, ""
	case task.Add:
		if !f.exists && !f.filtered && may {
			return false, stopCreation(t)
		}
		f.become(Documents)
		f.mayCreate, f.hasRight, f.named = may, true, named
		return true, ""
	}
	return false, stopSettings(t)
}

func (f *folding) nextSettings(shape task.Shape, t *wire.Task) (bool, string) {
	switch {
	case shape == task.Settings:
		return true, ""
	case shape == task.Clear:
		f.kind = ClearSettings
		return true, ""
	case isDeletion(shape) && f.kind == ClearSettings:
		return true, ""
	}
	return false, fmt.Sprintf("stopped before task with id %d because it is a document operation which cannot be batched with settings changes", t.UID)
}

func (f *folding) nextRules(shape task.Shape, t *wire.Task) (bool, string, error) {
	switch {
	case shape == task.Rules && f.kind == Rules:
		return true, "", nil
	case f.kind == Settings || f.kind == ClearSettings:
		return false, fmt.Sprintf("stopped before task with id %d because it is a dynamic search rule update or clear, which cannot be batched with settings changes", t.UID), nil
	}
	return false, fmt.Sprintf("stopped before task with id %d because it is a dynamic search rule update or clear, which cannot be batched with document operations", t.UID), nil
}

// become turns the batch into a kind without a creation right of its own.
func (f *folding) become(k Kind) { f.kind, f.hasRight, f.named = k, false, nil }

// keyAfter applies the primary-key rule (footnote 1 of the table). It returns the key that the
// batch names if it includes t, or the reason to exclude t.
func (f *folding) keyAfter(shape task.Shape, t *wire.Task, named *string) (*string, string) {
	if shape != task.Add || named == nil {
		return f.named, ""
	}
	switch {
	case f.PrimaryKey != nil:
		if *named != *f.PrimaryKey {
			return nil, fmt.Sprintf("stopped batching before task with id %d because its primary key `%s` is different from the primary key of the index `%s`",
				t.UID, *named, *f.PrimaryKey)
		}
	case f.kind != Documents:
	case f.named == nil:
		return nil, fmt.Sprintf("stopped batching before task with id %d because it is setting the `%s` primary key and it would interfere with primary key guessing of the batch",
			t.UID, *named)
	case *f.named != *named:
		return nil, fmt.Sprintf("stopped batching before task with id %d because its primary key `%s` is different from the primary key of the batch `%s`",
			t.UID, *named, *f.named)
	}
	return named, ""
}

// rights reads a task's body: whether the task may create the index (right: whether that
// question applies), and the key that it names.
func rights(shape task.Shape, t *wire.Task) (may, right bool, named *string, err error) {
	switch shape {
	case task.Add:
		a, err := task.Decode[task.Addition](t)
		if err != nil {
			return false, false, nil, err
		}
		return a.CreateIndex, true, a.PrimaryKey, nil
	case task.Settings:
		s, err := task.Decode[task.SettingsChange](t)
		if err != nil {
			return false, false, nil, err
		}
		return s.CreateIndex && !s.Delete, true, nil, nil
	}
	return false, false, nil, nil
}

func isDeletion(s task.Shape) bool { return s == task.DeleteIDs || s == task.DeleteFilter }

// StopAlone is the strategy text of a batch of one task that is not batched with others.
func StopAlone(t *wire.Task) string {
	return fmt.Sprintf("created batch containing only task with id %d of type `%s` that cannot be batched with any other task.", t.UID, t.Kind)
}

// StopTogether is the strategy text of a batch of tasks of one kind, which are not batched with
// those of other kinds.
func StopTogether(kind wire.Kind) string {
	return fmt.Sprintf("stopped after the last task of type `%s` because they cannot be batched with tasks of any other type.", kind)
}

func stopDrop(t *wire.Task) string {
	return fmt.Sprintf("stopped after task with id %d because it deletes the index", t.UID)
}

func stopCreation(t *wire.Task) string {
	return fmt.Sprintf("stopped batching before task with id %d because its index creation rules differ from the ones from the batch", t.UID)
}

func stopSettings(t *wire.Task) string {
	return fmt.Sprintf("stopped before task with id %d because it is a settings change which cannot be batched with document operations", t.UID)
}
