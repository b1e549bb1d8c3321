package task

import (
	"slices"

	"shoal/wire"
)

// RulesIndex is the internal index name of tasks about dynamic search rules.
const RulesIndex = ".meili_dsr"

// Class is the priority of a kind in the queue: lower classes run first (spec
// write-api 17.1).
type Class uint8

// Priority classes.
const (
	ClassCancel Class = iota
	ClassUpgrade
	ClassTopology
	ClassDeleteTasks
	ClassCompaction
	ClassExport
	ClassSnapshot
	ClassDump
	ClassIndex // everything that belongs to the lane of an index
)

// Shape is a task of ClassIndex as folding sees it.
type Shape uint8

// Shapes. None is the shape of kinds that never share an index lane.
const (
	None Shape = iota
	Add
	DeleteIDs
	DeleteFilter
	Clear
	Settings
	DropIndex
	Alone // index creation, update, swap, edition
	Rules // dynamic search rules, only with each other
)

// Kind is one row of the table.
type Kind struct {
	Name  wire.Kind
	Class Class
	// Together: all enqueued tasks of the kind run as one batch. Otherwise a task of a class
	// below ClassIndex runs alone. Newest: the newest task runs first.
	Together, Newest bool
	// Shape returns the shape of a task of ClassIndex; nil means Alone.
	Shape func(t *wire.Task) Shape
	// Dumped returns the form of the details in a dump. It is nil for kinds without details and
	// for kinds with a form of their own.
	Dumped func(t *wire.Task) *DumpForm
	// Plain: a dump contains the unchanged body as parameters, under the kind's name.
	Plain bool
	// Aliases: the task reads or writes what an index holds, so its index may be named by an
	// alias.
	Aliases bool
	// Failed turns the details of an enqueued task into those of a failed or canceled one; nil
	// means that they do not change.
	Failed func(details []byte) []byte
}

// Of returns the row of a kind. Unknown kinds, from a newer program, have none.
func Of(k wire.Kind) (*Kind, bool) {
	for i := range Table {
		if Table[i].Name == k {
			return &Table[i], true
		}
	}
	return nil, false
}

// Kinds returns the names of all kinds, in the order of the table.
func Kinds() []wire.Kind {
	names := make([]wire.Kind, len(Table))
	for i := range Table {
		names[i] = Table[i].Name
	}
	return names
}

// ShapeOf returns the shape of a task of ClassIndex.
func ShapeOf(t *wire.Task) Shape {
	k, ok := Of(t.Kind)
	switch {
	case !ok || k.Class != ClassIndex:
		return None
	case k.Shape == nil:
		return Alone
	}
	return k.Shape(t)
}

// FailedDetails returns the details of t when it fails or is canceled.
func FailedDetails(t *wire.Task) []byte {
	if k, ok := Of(t.Kind); ok && k.Failed != nil && len(t.Details) > 0 {
		return k.Failed(t.Details)
	}
	return t.Details
}

func always(s Shape) func(*wire.Task) Shape { return func(*wire.Task) Shape { return s } }

// Lanes lists the indexes a task occupies, without repetition.
func Lanes(t *wire.Task) []string {
	names := t.Indexes
	if len(names) == 0 && t.IndexUID != nil {
		return []string{*t.IndexUID}
	}
	if len(names) < 2 {
		return names
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}
