package shard

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"shoal/api/apierr"
	"shoal/query/filter"
	evaluate "shoal/shard/filter"
)

// forget removes the files of a folder from the cache of the system and returns their bytes.
func forget(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		bytes += info.Size()
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// BenchmarkSameObjectCold measures the first filter after a start, when nothing is kept in memory,
// and what the index takes on the disk, without and with the objects of arrays.
func BenchmarkSameObjectCold(b *testing.B) {
	for _, c := range []struct {
		sameObject bool
		text       string
	}{{false, "variants.color = red AND variants.size = 42"}, {true, "variants.{color = red AND size = 42}"}} {
		rule := objectRule("variants")
		rule.SameObject = c.sameObject
		dir := b.TempDir()
		h := benchHostIn(b, dir)
		importShirts(b, h, rule)
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
		f, fault := filter.ParseFilterText(c.text)
		if fault != nil {
			b.Fatal(fault)
		}
		b.Run(c.text, func(b *testing.B) {
			var size int64
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				size = forget(b, dir)
				h := benchHostIn(b, dir)
				v := viewOfShirts(b, h)
				begin := time.Now()
				b.StartTimer()
				if _, err := evaluate.Evaluate(b.Context(), v, f, apierr.CodeInvalidSearchFilter); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				took = append(took, time.Since(begin))
				if err := v.Close(); err != nil {
					b.Fatal(err)
				}
				if err := h.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(size)/(1<<20), "MiB-disk")
		})
	}
}
