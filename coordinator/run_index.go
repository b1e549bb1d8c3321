package coordinator

import (
	"context"
	"slices"
	"strings"

	"shoal/api"
	"shoal/coordinator/task"
	"shoal/wire"
)

// create makes an index (task indexCreation).
func (r *run) create(ctx context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Creation](t)
	if err != nil {
		return r.failAll(internal(err)), nil
	}
	c := r.log.Catalog()
	if _, exists := c.Index(r.uid); exists {
		return r.failAll(failureOf(api.IndexAlreadyExists(r.uid))), nil
	}
	x := r.cfg.Placement.NewIndex(c, r.uid, Size{})
	setKey(x, body.PrimaryKey)
	return &outcome{results: []wire.TaskResult{succeed(t, nil)}, changes: []wire.Change{{PutIndex: x}}}, nil
}

// setKey sets the primary key of an index and reserves a field id for its name.
func setKey(x *wire.Index, key *string) {
	if key == nil {
		return
	}
	x.PrimaryKey = key
	if !slices.Contains(x.Fields, *key) && len(x.Fields) < maxFields {
		x.Fields = append(x.Fields, *key)
	}
}

// change renames an index, sets its primary key, or both (task indexUpdate). We
// check everything before anything is committed: unlike the reference, a task
// that fails on the key has not renamed the index.
func (r *run) change(context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Change](t)
	if err != nil {
		return r.failAll(internal(err)), nil
	}
	c := r.log.Catalog()
	x, exists := c.Index(r.uid)
	if !exists {
		return r.failAll(notFound(r.uid)), nil
	}
	final := r.uid
	rename := body.NewUID != nil && *body.NewUID != r.uid
	if rename {
		final = *body.NewUID
		if _, taken := c.Index(final); taken {
			return r.failAll(failureOf(api.IndexAlreadyExists(final))), nil
		}
	}
	out := &outcome{guards: []wire.Guard{{IndexID: x.ID, Version: x.Version}}}
	if key := body.PrimaryKey; key != nil {
		if x.PrimaryKey != nil && *x.PrimaryKey != *key && documents(x) > 0 {
			return r.failAll(failureOf(api.InIndex(final, api.PrimaryKeyAlreadyExists(*x.PrimaryKey)))), nil
		}
	}
	if body.PrimaryKey != nil || rename {
		next := x.Clone()
		next.UpdatedAt = 0
		setKey(next, body.PrimaryKey)
		out.changes = append(out.changes, wire.Change{PutIndex: next})
	}
	if rename {
		out.changes = append(out.changes, wire.Change{RenameIndex: &wire.Rename{IndexID: x.ID, UID: final}})
	}
	out.results = []wire.TaskResult{succeed(t, nil)}
	return out, nil
}

// drop deletes an index; the operations that the deletion swallowed succeed
// without being executed (spec write-api 17.3 and 17.4).
func (r *run) drop(context.Context) (*outcome, error) {
	x, exists := r.log.Catalog().Index(r.uid)
	if !exists && !r.form.Create {
		return r.failAll(notFound(r.uid)), nil
	}
	out := &outcome{}
	n := uint64(0)
	if exists {
		n = documents(x)
		out.changes = []wire.Change{{DropIndex: &x.ID}}
		out.guards = []wire.Guard{{IndexID: x.ID, Version: x.Version}}
		out.after = func() { r.ordinals.forget(x.ID) }
	}
	for _, t := range r.tasks {
		switch task.ShapeOf(t) {
		case task.DropIndex:
			out.results = append(out.results, succeed(t, task.WithCount(t.Details, "deletedDocuments", n)))
		case task.Clear:
			out.results = append(out.results, succeed(t, nil))
		default:
			out.results = append(out.results, succeed(t, task.FailedDetails(t)))
		}
	}
	return out, nil
}

// documents is the number of documents of an index at its published version.
func documents(x *wire.Index) uint64 {
	n := uint64(0)
	for i := range x.Stats {
		n += x.Stats[i].Documents
	}
	return n
}

// swap exchanges names in pairs: all checks first, then everything in one entry
// (spec write-api 5.7).
func (r *run) swap(context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Swaps](t)
	if err != nil {
		return r.failAll(internal(err)), nil
	}
	c := r.log.Catalog()
	var missing []string
	var from, onto []string
	out := &outcome{results: []wire.TaskResult{succeed(t, nil)}}
	for _, s := range body.Swaps {
		left, okLeft := c.Index(s.Indexes[0])
		right, okRight := c.Index(s.Indexes[1])
		if !okLeft {
			missing = append(missing, s.Indexes[0])
		}
		switch {
		case okRight && s.Rename:
			from, onto = append(from, s.Indexes[0]), append(onto, s.Indexes[1])
		case !okRight && !s.Rename:
			missing = append(missing, s.Indexes[1])
		}
		switch {
		case !okLeft:
		case s.Rename:
			out.changes = append(out.changes, wire.Change{RenameIndex: &wire.Rename{IndexID: left.ID, UID: s.Indexes[1]}})
		case okRight:
			out.changes = append(out.changes, wire.Change{SwapNames: &[2]uint32{left.ID, right.ID}})
		}
	}
	switch {
	case len(missing) > 0:
		slices.Sort(missing)
		return r.failAll(failureOf(api.IndexesNotFound(slices.Compact(missing)))), nil
	case len(onto) > 0:
		sortPairs(from, onto)
		return r.failAll(failureOf(renameTaken(from, onto))), nil
	}
	return out, nil
}

// sortPairs sorts both lists by the first.
func sortPairs(a, b []string) {
	type pair struct{ a, b string }
	pairs := make([]pair, len(a))
	for i := range a {
		pairs[i] = pair{a[i], b[i]}
	}
	slices.SortFunc(pairs, func(x, y pair) int { return strings.Compare(x.a, y.a) })
	for i, p := range pairs {
		a[i], b[i] = p.a, p.b
	}
}
