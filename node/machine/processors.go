package machine

import (
	"os"
	"runtime"
	"sync"
)

// spareThreads is the number of threads that run Go code in addition to the cores. With
// only as many threads as cores, and a build on each, an arriving request waits for a build
// to yield, up to 10 ms for each of its steps. With more, the operating system shares the
// cores out and prefers threads that were asleep. Beside two busy builds on two cores a
// request of 2.5 ms took 21 ms without spare threads (99 % under 46), 5.5 with (24); with a
// third thread of the store's compactions 26 (65) and 8 (27).
const spareThreads = 2

// processors is the number of cores of the process.
var processors = sync.OnceValue(func() int {
	cores := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(cores + spareThreads)
	}
	return cores
})

// Processors is the number of cores that the process may use. Parallel work should use that
// many goroutines. The first call adds the spare threads, unless an operator has set
// GOMAXPROCS or other nodes run in the process.
func (m *Machine) Processors() int {
	if m.Shared {
		return runtime.GOMAXPROCS(0)
	}
	return processors()
}
