package limits

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

const (
	// uploads arrive at once, each of uploadSize bytes, at a node of uploadRoom MiB.
	uploads, uploadSize, uploadRoom = 4, 8 << 20, 256
	// beyondRoom is what a node may have beyond its limit: the program itself, files that it
	// maps, and garbage that is not collected yet, in MiB.
	beyondRoom = 160
)

// uploadOf makes documents of words that are rarely the same.
func uploadOf(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	var b bytes.Buffer
	for id := 0; b.Len() < uploadSize; id++ {
		fmt.Fprintf(&b, `{"id":%d,"title":"lantern %d","text":"`, id, id)
		for range 60 {
			fmt.Fprintf(&b, "w%x ", r.Uint32N(200_000))
		}
		b.WriteString("\"}\n")
	}
	return b.Bytes()
}

// TestFourUploadsAtOnceStayWithinTheMemoryLimit: they are received and built at once, each
// into an index of its own, while the node answers searches.
func TestFourUploadsAtOnceStayWithinTheMemoryLimit(t *testing.T) {
	v := newVictim(t, fmt.Sprintf("SHOAL_MEMORY_LIMIT=%dMiB", uploadRoom))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var work sync.WaitGroup
	for i := range uploads {
		work.Go(func() {
			if err := v.Write(ctx, "POST", fmt.Sprintf("/indexes/upload%d/documents", i), uploadOf(uint64(i))); err != nil {
				t.Errorf("upload %d: %v", i, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { defer close(done); work.Wait() }()
	searches := 0
	for over := false; !over; searches++ {
		if status, b, err := v.Do(ctx, "POST", "/indexes/things/search", map[string]any{"q": "lantern"}); err != nil || status != 200 {
			t.Fatalf("a search meanwhile: %d %s %v", status, b, err)
		}
		select {
		case <-done:
			over = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	peak := must(v.Peak())
	t.Logf("%d uploads of %d MiB at once: at most %d MiB, %d before, %d searches answered meanwhile", uploads, uploadSize>>20, peak, v.idle, searches)
	if peak > uploadRoom+beyondRoom {
		t.Errorf("%d MiB with --memory-limit %dMiB", peak, uploadRoom)
	}
}
