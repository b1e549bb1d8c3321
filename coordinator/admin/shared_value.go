package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"shoal/coordinator"
	"shoal/wire"
)

// sharedValue is one named document of the catalogue. It is decoded once per state and changed
// by compare-and-set. Safe for concurrent use.
type sharedValue[T any] struct {
	log   coordinator.Log
	name  string
	fresh func() *T // the value when nothing is stored
	seen  atomic.Pointer[decodedValue[T]]
}

type decodedValue[T any] struct {
	stored json.RawMessage
	value  *T
}

// get returns the current value. It is shared: do not modify.
func (s *sharedValue[T]) get() *T {
	stored, _ := s.log.Catalog().Value(s.name)
	if d := s.seen.Load(); d != nil && sameBytes(d.stored, stored.JSON) {
		return d.value
	}
	value := s.fresh()
	if len(stored.JSON) > 0 {
		// Only change writes the value. One that does not decode comes from a newer program;
		// the default replaces it.
		if err := json.Unmarshal(stored.JSON, value); err != nil {
			value = s.fresh()
		}
	}
	s.seen.Store(&decodedValue[T]{stored: stored.JSON, value: value})
	return value
}

// sameBytes tells whether two immutable slices are the same memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// change stores the result of edit for the current value. edit may run several times and must
// not modify its argument.
func (s *sharedValue[T]) change(ctx context.Context, edit func(old *T) (*T, error)) (*T, error) {
	for {
		if err := s.log.Barrier(ctx); err != nil {
			return nil, err
		}
		old, _ := s.log.Catalog().Value(s.name)
		next, err := edit(s.get())
		if err != nil {
			return nil, err
		}
		encoded, err := json.Marshal(next)
		if err != nil {
			return nil, fmt.Errorf("coordinator: encoding %s: %w", s.name, err)
		}
		r, err := coordinator.Propose(ctx, s.log, &wire.Update{
			Changes:      []wire.Change{{PutValue: &wire.Value{Name: s.name, JSON: encoded}}},
			CompareValue: &wire.Value{Name: s.name, JSON: old.JSON},
		})
		if err != nil {
			return nil, err
		}
		if !r.Fenced {
			return next, nil
		}
	}
}
