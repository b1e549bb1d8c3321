package facet

import (
	"cmp"
	"context"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// pollEvery is the number of values or records read between two checks of the context.
const pollEvery = 256

// until is an Index that fails with the error of a context once that has ended. Not
// safe for concurrent use.
type until struct {
	Index
	ctx   context.Context
	steps int
}

// within limits reading an index to the life of ctx. Afterwards its methods return the
// error of ctx, iterations within pollEvery values. The result belongs to one
// goroutine.
func within(ctx context.Context, ix Index) Index { return &until{Index: ix, ctx: ctx} }

func (u *until) poll() error {
	if u.steps++; u.steps%pollEvery != 0 {
		return nil
	}
	return u.ctx.Err()
}

func (u *until) Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error {
	var ended error
	err := u.Index.Numbers(fid, desc, func(v float64, docs docset.Set) bool {
		ended = u.poll()
		return ended == nil && f(v, docs)
	})
	return cmp.Or(ended, err)
}

func (u *until) Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error {
	var ended error
	err := u.Index.Strings(fid, desc, func(form string, docs docset.Set) bool {
		ended = u.poll()
		return ended == nil && f(form, docs)
	})
	return cmp.Or(ended, err)
}

func (u *until) StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error {
	var ended error
	err := u.Index.StringForms(fid, func(form string, docs func() (docset.Set, error)) bool {
		ended = u.poll()
		return ended == nil && f(form, docs)
	})
	return cmp.Or(ended, err)
}

func (u *until) String(fid uint16, form string) (docset.Set, error) {
	if err := u.poll(); err != nil {
		return docset.Set{}, err
	}
	return u.Index.String(fid, form)
}

func (u *until) Values(ord uint32) (record.Values, bool, error) {
	if err := u.poll(); err != nil {
		return record.Values{}, false, err
	}
	return u.Index.Values(ord)
}
