package vector

import (
	"testing"
	"time"
)

func TestIdleBlocksMakeRoom(t *testing.T) {
	now := time.Unix(1000, 0)
	cache := NewCache(100, func() time.Time { return now })
	a, b := &Block{}, &Block{}
	cache.keep(a, &Rows{bytes: 80})
	cache.keep(b, &Rows{bytes: 80})
	if a.rows.Load() == nil || b.rows.Load() != nil {
		t.Fatal("the first block stays while it is used")
	}
	now = now.Add(time.Minute)
	cache.keep(b, &Rows{bytes: 80})
	if a.rows.Load() != nil || b.rows.Load() == nil || cache.bytes != 80 {
		t.Fatal("an idle block makes room")
	}
	cache.Retire(&Table{blocks: []*Block{b}}, &Table{blocks: []*Block{a}})
	cache.keep(b, &Rows{bytes: 10})
	if b.rows.Load() != nil || cache.bytes != 0 {
		t.Fatal("a replaced block is not kept")
	}
}
