package memory

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Available reads how much memory the process may use: the cgroup's limit or the
// machine's memory. 0 when neither can be read.
func Available() int64 { return least("MemTotal") }

// Spare is how much memory the system may keep files in, for a process that keeps a memory
// limit: half of what the cgroup, or what is free on the machine, leaves besides. 0 when
// there is none, or it cannot be read.
func Spare(limit int64) int64 { return max(0, least("MemAvailable")-limit) / 2 }

// least returns the cgroup's limit or a line of /proc/meminfo, whichever is less.
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

// normalGCPercent is GOGC unless the operator sets one. What is kept for searches is few
// large pieces that the collector need not look into: running it twice as often costs
// 2 % of the time and saves a quarter of the memory (507,520 documents: 1.1 GiB instead
// of 1.4).
const normalGCPercent = 50

// SetGCPercent sets GOGC.
func SetGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(normalGCPercent)
	}
}

// Ballast is memory that is never touched, so that it takes address space only. The
// collector counts it as kept: with little else to keep it would run all the time
// (63,440 documents: 15 % of the CPU of a query; the second half of it saves 6 to 8 % of
// that of 36,273 films and a tenth of their p99, for 60 to 100 MiB more in use). Small
// limits have none. It is made once, at the start: memory that was in use before would be
// cleared, and so be touched.
const (
	mostBallast  = 128 << 20
	ballastShare = 16 // of the memory limit
	// leastLimit is the memory limit from which on there is ballast.
	leastLimit = 512 << 20
)

// BallastFor is the size of the ballast that fits a memory limit.
func BallastFor(limit int64) int64 {
	if os.Getenv("GOGC") != "" || limit < leastLimit {
		return 0
	}
	return min(mostBallast, limit/ballastShare)
}

// buildGCPercent is GOGC while a large build runs. Its garbage would double the
// memory of the process: of 1.3 million documents in one import 450 MiB instead of
// 350, for 2 % less of the time.
const buildGCPercent = 33

// share is the part of a memory limit, as a divisor, that stays free of the heap: what is
// allocated while the collector runs, and the program itself.
const share = 16

// HeapLimit is what the Go heap may take, so that the process keeps a memory limit.
func HeapLimit(limit int64) int64 { return limit - limit/share }

// BuildGC makes the garbage collector run more often while large builds run. Its zero
// value is ready. Safe for concurrent use.
type BuildGC struct {
	mu      sync.Mutex
	running int
	before  int // GOGC of other times
	ballast []byte
}

// Steady takes on ballast of some size.
func (f *BuildGC) Steady(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ballast = make([]byte, size)
}

// Begin is the start of a large build; over is called once, at its end.
func (f *BuildGC) Begin() (over func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running++; f.running == 1 {
		f.before = debug.SetGCPercent(buildGCPercent)
		if f.before >= 0 && f.before < buildGCPercent {
			debug.SetGCPercent(f.before) // the operator wants less still
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
