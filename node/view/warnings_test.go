package view

import (
	"testing"
	"time"
)

// Nothing told how long a filling disk would last.
func TestAFillingDiskSaysHowManyHoursAreLeft(t *testing.T) {
	for _, c := range []struct {
		name       string
		free, size uint64
		left       time.Duration
		known      bool
		want       string
	}{
		{"half empty", 50 << 30, 100 << 30, 0, false, ""},
		{"half empty, fills in days", 50 << 30, 100 << 30, 48 * time.Hour, true, ""},
		{"half empty, fills today", 50 << 30, 100 << 30, 5*time.Hour + 59*time.Minute, true, "has 50.0 % left (51200 MiB), and is full in 5 hours at the pace of the last hour"},
		{"nearly full, nothing grows", 5 << 30, 100 << 30, 0, false, "has 5.0 % left (5120 MiB)"},
		{"nearly full, fills in days", 5 << 30, 100 << 30, 50 * time.Hour, true, "has 5.0 % left (5120 MiB), and is full in 50 hours at the pace of the last hour"},
		{"an hour", 5 << 30, 100 << 30, 61 * time.Minute, true, "has 5.0 % left (5120 MiB), and is full in 1 hour at the pace of the last hour"},
		{"minutes", 5 << 30, 100 << 30, time.Minute, true, "has 5.0 % left (5120 MiB), and is full in less than an hour at the pace of the last hour"},
		{"full", 0, 100 << 30, 0, true, "has 0.0 % left (0 MiB), and is full in less than an hour at the pace of the last hour"},
	} {
		if got := fillingDisk(c.free, c.size, c.left, c.known); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
