package schedule

import (
	"context"
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/placement"
	"shoal/coordinator/task"
	"shoal/wire"
)

// create runs the task indexCreation.
func (r *batchRun) create(ctx context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Creation](t)
	if err != nil {
		return r.failAll(task.Internal(err)), nil
	}
	c := r.log.Catalog()
	if err := nameTaken(c, r.uid); err != nil {
		return r.failAll(task.FailureOf(err)), nil
	}
	x := r.cfg.Placement.NewIndex(c, r.uid, placement.Size{}, r.shards.Suspect)
	x.SetPrimaryKey(body.PrimaryKey)
	return &outcome{results: []wire.TaskResult{succeed(t, nil)}, changes: []wire.Change{{PutIndex: x}}}, nil
}

// nameTaken tells why no index can be created with a name, or returns nil.
func nameTaken(c coordinator.Catalog, name string) *apierr.Error {
	if _, taken := c.Index(name); taken {
		return apierr.IndexAlreadyExists(name)
	}
	if a, taken := c.Alias(name); taken {
		return apierr.NameOfAlias(name, a.Index)
	}
	return nil
}

// change renames an index, sets its primary key, or both (task indexUpdate). It checks
// everything before anything is committed: unlike in the reference, a task that fails on the
// key has not renamed the index.
func (r *batchRun) change(context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Change](t)
	if err != nil {
		return r.failAll(task.Internal(err)), nil
	}
	c := r.log.Catalog()
	x, exists := c.Index(r.uid)
	if !exists {
		return r.failAll(task.FailureOf(coordinator.MissingIndex(c, r.uid))), nil
	}
	final := r.uid
	rename := body.NewUID != nil && *body.NewUID != r.uid
	if rename {
		final = *body.NewUID
		if err := nameTaken(c, final); err != nil {
			return r.failAll(task.FailureOf(err)), nil
		}
	}
	out := &outcome{guards: []wire.Guard{{IndexID: x.ID, Version: x.Version}}}
	if key := body.PrimaryKey; key != nil {
		if x.PrimaryKey != nil && *x.PrimaryKey != *key && x.Documents() > 0 {
			return r.failAll(task.FailureOf(apierr.InIndex(final, apierr.PrimaryKeyAlreadyExists(*x.PrimaryKey)))), nil
		}
	}
	if body.PrimaryKey != nil || rename {
		next := x.Clone()
		next.UpdatedAt = 0
		next.SetPrimaryKey(body.PrimaryKey)
		out.changes = append(out.changes, wire.Change{PutIndex: next})
	}
	if rename {
		out.changes = append(out.changes, renameIndex(c, x, final))
	}
	out.results = []wire.TaskResult{succeed(t, nil)}
	return out, nil
}

// renameIndex returns the change that gives an index another uid.
func renameIndex(c coordinator.Catalog, x *wire.Index, uid string) wire.Change {
	return wire.Change{RenameIndex: &wire.Rename{IndexID: x.ID, UID: uid, Exchange: c.Spoken() >= wire.ExchangeSince}}
}

// drop deletes an index. The operations batched with the deletion succeed without being
// executed (spec write-api 17.3 and 17.4).
func (r *batchRun) drop(context.Context) (*outcome, error) {
	c := r.log.Catalog()
	x, exists := c.Index(r.uid)
	if _, alias := c.Alias(r.uid); alias || !exists && !r.form.Create {
		return r.failAll(task.FailureOf(coordinator.MissingIndex(c, r.uid))), nil
	}
	out := &outcome{}
	n := uint64(0)
	if exists {
		n = x.Documents()
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

// swap exchanges names in pairs: all checks first, then everything in one entry (spec write-api
// 5.7).
func (r *batchRun) swap(context.Context) (*outcome, error) {
	t := r.tasks[0]
	body, err := task.Decode[task.Swaps](t)
	if err != nil {
		return r.failAll(task.Internal(err)), nil
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
			out.changes = append(out.changes, renameIndex(c, left, s.Indexes[1]))
		case okRight:
			out.changes = append(out.changes, wire.Change{SwapNames: &[2]uint32{left.ID, right.ID}})
		}
	}
	for _, name := range missing {
		if a, ok := c.Alias(name); ok {
			return r.failAll(task.FailureOf(apierr.IndexIsAlias(name, a.Index))), nil
		}
	}
	for _, s := range body.Swaps {
		if a, ok := c.Alias(s.Indexes[1]); ok {
			return r.failAll(task.FailureOf(apierr.NameOfAlias(a.Name, a.Index))), nil
		}
	}
	switch {
	case len(missing) > 0:
		slices.Sort(missing)
		return r.failAll(task.FailureOf(apierr.IndexesNotFound(slices.Compact(missing)))), nil
	case len(onto) > 0:
		sortPairs(from, onto)
		return r.failAll(task.FailureOf(task.RenameTaken(from, onto))), nil
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
