package node

import (
	"fmt"
	"os"
	"strings"
)

// memoryOf reads how much memory the process may use: the cgroup's limit or the
// machine's memory. 0 when neither can be read.
func memoryOf() int64 {
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
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err == nil && kib > 0 && (best == 0 || kib<<10 < best) {
				best = kib << 10
			}
		}
	}
	return best
}
