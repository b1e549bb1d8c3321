package closing

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestClosingGoesFromTheTopAndJoinsErrors(t *testing.T) {
	var order []string
	one := func(name string, err error) Step {
		return Step{name, func() error { order = append(order, name); return err }}
	}
	fault := errors.New("does not work")
	err := Unwind([]Step{one("folder", nil), one("links", fault), one("front", nil)}, time.Second, time.Second, slog.New(slog.DiscardHandler))
	if !slices.Equal(order, []string{"front", "links", "folder"}) {
		t.Errorf("closed in the order %v", order)
	}
	if !errors.Is(err, fault) || !strings.Contains(err.Error(), "close links: ") {
		t.Errorf("the error: %v", err)
	}
}

// A node whose log never closed stayed for ever, silently, with its folder locked.
func TestAStopThatHangsSaysWhatForAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		never := make(chan struct{})
		below := false
		begin := time.Now()
		err := Unwind([]Step{
			{"folder", func() error { below = true; return nil }},
			{"consensus", func() error { <-never; return nil }},
			{"front", func() error { time.Sleep(5 * time.Second); return nil }},
		}, Slow, Limit, slog.New(slog.NewTextHandler(&out, nil)))
		if took := time.Since(begin); took != Limit {
			t.Errorf("it took %s", took)
		}
		if !errors.Is(err, ErrDoesNotEnd) || !strings.Contains(err.Error(), "close consensus") || below {
			t.Errorf("%v; what is below was closed: %t", err, below)
		}
		if n := strings.Count(out.String(), "stopping takes long"); n != 5 || !strings.Contains(out.String(), "TestAStopThatHangsSaysWhatForAndEnds") {
			t.Errorf("said %d times: %s", n, out.String())
		}
		close(never)
	})
}
