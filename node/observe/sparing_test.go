package observe

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A stranger without the secret wrote 10.7 MB into the log of a node in 25 s.
func TestALineOfOneKindIsWrittenAtMostOnceASecond(t *testing.T) {
	var out bytes.Buffer
	log := Sparing(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	begin := time.Unix(1000, 0)
	say := func(after time.Duration, level slog.Level, message string) {
		rec := slog.NewRecord(begin.Add(after), level, message, 0)
		if err := log.Handler().Handle(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 43_000 {
		say(time.Duration(i)*time.Millisecond, slog.LevelWarn, "refused")
	}
	if n := strings.Count(out.String(), "\n"); n < 4 || n > 8 {
		t.Errorf("%d lines of one kind in 43 s:\n%s", n, out.String())
	}
	if first, second := strings.SplitN(out.String(), "\n", 3)[0], strings.SplitN(out.String(), "\n", 3)[1]; strings.Contains(first, "more=") || !strings.Contains(second, "more=999") {
		t.Errorf("%s\n%s", first, second)
	}
	out.Reset()
	say(200*time.Second, slog.LevelWarn, "refused")
	if !strings.Contains(out.String(), "more=") {
		t.Errorf("the lines that were left out last are not counted: %s", out.String())
	}
	out.Reset()
	say(200*time.Second, slog.LevelError, "refused")
	say(200*time.Second, slog.LevelWarn, "something else")
	say(200*time.Second, slog.LevelDebug, "detail")
	say(200*time.Second, slog.LevelDebug, "detail")
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("other kinds, and details that were asked for, have %d of 4 lines", n)
	}
}

func TestMessagesThatVaryAreSparedTogether(t *testing.T) {
	var out bytes.Buffer
	log := Sparing(slog.New(slog.NewTextHandler(&out, nil)))
	for i := range 10_000 {
		rec := slog.NewRecord(time.Unix(1000, 0), slog.LevelInfo, fmt.Sprintf("from port %d", i), 0)
		if err := log.Handler().Handle(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), "\n"); n > maxKinds+1 {
		t.Errorf("%d lines", n)
	}
}
