package peer

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shoal/wire"
)

// piped is a pool whose connections have no other end. dial may wait, or fail.
func piped(dial func(context.Context) error) (p *pool, made *atomic.Int64) {
	made = new(atomic.Int64)
	return newPool(func(ctx context.Context, _ target) (net.Conn, bool, error) {
		if err := dial(ctx); err != nil {
			return nil, false, err
		}
		made.Add(1)
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			_, _ = far.Read(make([]byte, 1<<10)) // it ends with the other side
		}()
		return near, false, nil
	}), made
}

func atOnce(context.Context) error { return nil }

// get takes a connection like an exchange.
func get(t *testing.T, p *pool) *connection {
	t.Helper()
	l, c, err := p.unused(target{node: "n"})
	if c == nil && err == nil {
		c, _, err = p.await(t.Context(), target{node: "n"}, l)
	}
	if err != nil {
		t.Error(err)
	}
	return c
}

func held(p *pool) (live, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		live, idle = live+len(l.live), idle+len(l.idle)
	}
	return live, idle
}

// Connections of a burst, and connections to nodes that have left, must not stay for ever.
func TestConnectionsThatNobodyUsesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := piped(atOnce)
		defer p.close()
		var all []*connection
		for range 5 {
			all = append(all, get(t, p))
		}
		for _, c := range all[1:] {
			p.put(c, false)
		}
		time.Sleep(idleTime / 2)
		p.put(get(t, p), false) // one is used again
		time.Sleep(idleTime/2 + time.Second)
		if live, idle := held(p); live != 2 || idle != 1 {
			t.Errorf("%d connections, %d of them unused; wanted the one that is used and the one that was", live, idle)
		}
		p.put(all[0], false)
		time.Sleep(3 * idleTime)
		if live, _ := held(p); live != 0 || len(p.lanes) != 0 {
			t.Errorf("%d connections to %d nodes that nobody asks", live, len(p.lanes))
		}
	})
}

func TestUnusedConnectionsToANodeAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := piped(atOnce)
		defer p.close()
		var all []*connection
		for range maxIdle + 10 {
			all = append(all, get(t, p))
		}
		for _, c := range all {
			p.put(c, false)
		}
		if live, idle := held(p); live != maxIdle || idle != maxIdle {
			t.Errorf("%d connections are kept, %d unused", live, idle)
		}
	})
}

// A burst of calls opens a few connections at a time, and waiting callers take those that
// become free.
func TestABurstMakesAFewConnectionsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialling, most atomic.Int64
		p, made := piped(func(context.Context) error {
			most.Store(max(most.Load(), dialling.Add(1)))
			defer dialling.Add(-1)
			time.Sleep(10 * time.Millisecond)
			return nil
		})
		defer p.close()
		var calls sync.WaitGroup
		for range 100 {
			calls.Go(func() {
				c := get(t, p)
				time.Sleep(time.Millisecond)
				p.put(c, false)
			})
		}
		calls.Wait()
		if most.Load() > maxDials || made.Load() > 3*maxDials {
			t.Errorf("%d connections were made, %d at a time", made.Load(), most.Load())
		}
	})
}

// Calls to a node that cannot be reached fail at once for a while, and the while grows.
func TestAFailedAttemptIsFollowedByAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused, tried := errors.New("refused"), 0
		p, _ := piped(func(context.Context) error { tried++; return refused })
		defer p.close()
		at := target{node: "n"}
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			l, _, err := p.unused(at)
			if err == nil {
				_, _, err = p.await(t.Context(), at, l)
			}
			if !errors.Is(err, refused) {
				t.Fatal(err)
			}
		}
		// 50 ms, 80, 128 and so on up to a second.
		if tried < 10 || tried > 20 {
			t.Errorf("%d attempts in ten seconds", tried)
		}
		p.forgive(func(target) bool { return true })
		before := tried
		l, _, err := p.unused(at)
		if err == nil {
			_, _, err = p.await(t.Context(), at, l)
		}
		if tried != before+1 || !errors.Is(err, refused) {
			t.Errorf("after a sign of life: %d attempts, %v", tried-before, err)
		}
	})
}

func TestAClosedPoolGivesNothing(t *testing.T) {
	p, _ := piped(atOnce)
	c := get(t, p)
	p.close()
	p.put(c, false)
	if _, _, err := p.unused(target{node: "n"}); !errors.Is(err, wire.ErrClosed) {
		t.Error(err)
	}
	if live, idle := held(p); live != 0 || idle != 0 {
		t.Errorf("%d connections, %d unused", live, idle)
	}
}
