package consensus

import (
	"context"
	"sync/atomic"
	"testing"
)

func BenchmarkPropose(b *testing.B) {
	for _, clients := range []int{1, 256} {
		b.Run(map[int]string{1: "one", 256: "many"}[clients], func(b *testing.B) {
			g := openDisk(b, b.TempDir())
			defer g.Close()
			awaitLeading(b, g)
			var left atomic.Int64
			left.Store(int64(b.N))
			done := make(chan error, clients)
			b.ResetTimer()
			for range clients {
				go func() {
					for left.Add(-1) >= 0 {
						if _, err := g.Propose(context.Background(), addTask("movies")); err != nil {
							done <- err
							return
						}
					}
					done <- nil
				}()
			}
			for range clients {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
