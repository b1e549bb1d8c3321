package memory

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Available is how much memory the process may use, in bytes: the limit of the cgroup or
// the memory of the machine. It is 0 if neither can be read.
func Available() int64 { return least("MemTotal") }

// Spare is how much memory the system may use as file cache, for a process that keeps to a
// memory limit: half of what the cgroup or the machine has left besides. It is 0 if there
// is none, or if it cannot be read.
func Spare(limit int64) int64 { return max(0, least("MemAvailable")-limit) / 2 }

// least returns the smaller of the cgroup's limit and a line of /proc/meminfo.
func least(line string) int64 {
	best := int64(0)
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		var n int64
		if _, err := fmt.Sscan(string(b), &n); err == nil && n > 0 {
			best = n
		}
	}
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return best
	}
	for text := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(text, line+":"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err == nil && kib > 0 && (best == 0 || kib<<10 < best) {
				best = kib << 10
			}
		}
	}
	return best
}

// normalGCPercent is GOGC unless the operator sets one. The memory for searches is a few
// large pieces that the collector need not scan. Running it twice as often costs 2 % of the
// time and saves a quarter of the memory (507,520 documents: 1.1 GiB instead of 1.4).
const normalGCPercent = 50

// SetGCPercent sets GOGC.
func SetGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(normalGCPercent)
	}
}

// Ballast is memory that is never touched, so that it uses only address space. The
// collector counts it as live; with little else live, it would run all the time (63,440
// documents: 15 % of the CPU of a query; the second half of the ballast saves 6 to 8 % of
// that of 36,273 films and a tenth of their p99, for 60 to 100 MiB more in use). Small
// limits have none. It is allocated once, at the start: memory that was in use before would
// be cleared, and so be touched.
const (
	mostBallast  = 128 << 20
	ballastShare = 16 // of the memory limit
	// leastLimit is the smallest memory limit that has ballast.
	leastLimit = 512 << 20
)

// BallastFor is the size of the ballast for a memory limit.
func BallastFor(limit int64) int64 {
	if os.Getenv("GOGC") != "" || limit < leastLimit {
		return 0
	}
	return min(mostBallast, limit/ballastShare)
}

// buildGCPercent is GOGC while a large build runs. Its garbage would double the memory of
// the process: 450 MiB instead of 350 for 1.3 million documents in one import, for 2 % less
// time.
const buildGCPercent = 33

// share is the part of a memory limit, as a divisor, that the heap leaves free for
// allocations during a collection and for the program itself.
const share = 16

// HeapLimit is the limit of the Go heap that keeps the process within a memory limit.
func HeapLimit(limit int64) int64 { return limit - limit/share }

// BuildGC makes the garbage collector run more often while large builds run. Its zero
// value is ready. Safe for concurrent use.
type BuildGC struct {
	mu      sync.Mutex
	running int
	before  int // GOGC outside builds
	ballast []byte
}

// Steady allocates the ballast.
func (f *BuildGC) Steady(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ballast = make([]byte, size)
}

// Begin marks the start of a large build. The caller calls over once, at its end.
func (f *BuildGC) Begin() (over func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running++; f.running == 1 {
		f.before = debug.SetGCPercent(buildGCPercent)
		if f.before >= 0 && f.before < buildGCPercent {
			debug.SetGCPercent(f.before) // the operator's setting is lower still
		}
	}
	return f.end
}

func (f *BuildGC) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running--; f.running == 0 {
		debug.SetGCPercent(f.before)
	}
}
