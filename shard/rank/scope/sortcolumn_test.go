package scope

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"shoal/shard/docset"
)

// numbered is an index of 1000 documents with a number each, which are read only once
// the gate opens. It counts the readings.
type numbered struct {
	Index
	memo     Memo
	schema   Schema
	gate     chan struct{}
	readings int
}

func (x *numbered) Memo() *Memo      { return &x.memo }
func (x *numbered) Schema() *Schema  { return &x.schema }
func (x *numbered) Live() docset.Set { return docset.Range(0, 1000) }

func (x *numbered) Numbers(_ uint16, _ bool, f func(float64, docset.Set) bool) error {
	x.readings++
	<-x.gate
	for row := range uint32(1000) {
		if !f(float64(row), docset.Of(row)) {
			break
		}
	}
	return nil
}

func (x *numbered) Strings(uint16, bool, func(string, docset.Set) bool) error { return nil }

// Each of several first searches by a field read all its values.
func TestConcurrentSearchesMakeASortColumnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &numbered{gate: make(chan struct{})}
		sort := func(ctx context.Context) <-chan error {
			done := make(chan error, 1)
			go func() {
				s := New(x)
				c, err := s.SortColumn(ctx, SortKey{Field: 3}, 1000)
				if err == nil && (c == nil || len(c.Values) != 1000) {
					err = errors.New("no column")
				}
				done <- err
			}()
			synctest.Wait()
			return done
		}
		gone, leave := context.WithCancel(t.Context())
		first, second, third := sort(t.Context()), sort(t.Context()), sort(gone)
		leave()
		if err := <-third; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(x.gate)
		for _, done := range []<-chan error{first, second, sort(t.Context())} {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if x.readings != 1 {
			t.Errorf("the values were read %d times", x.readings)
		}
	})
}
