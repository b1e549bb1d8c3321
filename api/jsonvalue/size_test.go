package jsonvalue

import "testing"

func TestHumanSize(t *testing.T) {
	for n, want := range map[int64]string{100_000_000: "100 MB", 10485760: "10 MiB", 1500000000: "1.5 GB", 512: "512 B", 0: "0 B", 24 << 20: "24 MiB"} {
		if got := HumanSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
