package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shoal/api/decode"
	"shoal/httpfront"
)

// receiver answers calls of the webhook by a script, and keeps what it took.
type receiver struct {
	mu     sync.Mutex
	answer func(call int) (int, error)
	calls  int
	taken  []string
}

func (r *receiver) post(_ context.Context, _ string, headers []decode.Entry[string], body []byte, _ int64) (int, []byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	status, err := r.answer(r.calls)
	if err == nil && status == 200 {
		r.taken = append(r.taken, strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")...)
	}
	return status, nil, err
}

func hooked(t *testing.T, r *receiver) (w *AuditWebhook, log *bytes.Buffer, stop func()) {
	log = new(bytes.Buffer)
	w = NewAuditWebhook("http://audit.example/lines?token=secret", "n1", r.post, slog.New(slog.NewTextHandler(log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { w.Run(ctx) })
	return w, log, func() { cancel(); done.Wait() }
}

func change(i int) httpfront.Change {
	return httpfront.Change{Key: "k", Address: "10.0.0.1", Route: fmt.Sprintf("POST /%d", i), Status: 202}
}

// A receiver that is away for a while gets every line, in order, and its callers never wait.
func TestLinesWaitForAWebhookThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(call int) (int, error) {
			switch {
			case call <= 3:
				return 0, errors.New("connection refused")
			case call <= 5:
				return 503, nil
			}
			return 200, nil
		}}
		w, log, stop := hooked(t, r)
		for i := range 1200 {
			w.Write(change(i))
		}
		time.Sleep(5 * time.Minute) // of the clock of the test
		stop()
		if len(r.taken) != 1200 || w.Lost() != 0 || log.Len() > 0 {
			t.Fatalf("%d lines came, %d are lost: %s", len(r.taken), w.Lost(), log)
		}
		for i, line := range r.taken {
			if !strings.Contains(line, fmt.Sprintf(`"route":"POST /%d"`, i)) {
				t.Fatalf("line %d is %s", i, line)
			}
		}
	})
}

// The queue is bounded: what does not fit is counted, told once, and names no secret.
func TestLinesThatDoNotFitAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(int) (int, error) { return 0, errors.New("away") }}
		w, log, stop := hooked(t, r)
		w.Write(change(0))
		synctest.Wait() // the first line is on its way
		for i := range auditWaiting + 50 {
			w.Write(change(i))
		}
		if w.Lost() != 50 || strings.Count(log.String(), "level=ERROR") != 1 || strings.Contains(log.String(), "secret") {
			t.Errorf("%d lines are lost: %s", w.Lost(), log)
		}
		stop() // the last call fails, too
		if w.Lost() != auditWaiting+51 {
			t.Errorf("%d lines are lost at the end, want all of %d", w.Lost(), auditWaiting+51)
		}
	})
}

// A server that refuses lines is not asked for ever; a node that stops sends what waits.
func TestRefusedLinesAreLostAndAStopSendsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(call int) (int, error) {
			if call == 1 {
				return 401, nil
			}
			return 200, nil
		}}
		w, _, stop := hooked(t, r)
		w.Write(change(0))
		synctest.Wait()
		w.Write(change(1))
		stop()
		if w.Lost() != 1 || len(r.taken) != 1 || r.calls != 2 {
			t.Errorf("%d lost, %d taken in %d calls", w.Lost(), len(r.taken), r.calls)
		}
	})
}

// BenchmarkAudit: what a request that changes something waits for, by the file and by the webhook
// (docs/adr/0039, docs/adr/0044).
func BenchmarkAudit(b *testing.B) {
	b.Run("file", func(b *testing.B) {
		a, err := OpenAudit(filepath.Join(b.TempDir(), "audit"), "n1", slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			a.Write(change(1))
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("webhook", func(b *testing.B) {
		r := &receiver{answer: func(int) (int, error) { return 204, nil }}
		w := NewAuditWebhook("http://audit.example", "n1", r.post, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(b.Context())
		var done sync.WaitGroup
		done.Go(func() { w.Run(ctx) })
		for b.Loop() {
			w.Write(change(1))
		}
		cancel()
		done.Wait()
	})
}
