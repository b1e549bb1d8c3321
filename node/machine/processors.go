package machine

import (
	"os"
	"runtime"
	"sync"
)

// spareThreads is the number of threads that run Go code at a time beyond the cores. With
// as many as cores and a build on each, a request that arrives is not even seen before one
// of them gives way, which takes up to 10 ms, and so for each step of its way. With more,
// the operating system divides the cores, and what was asleep comes first. Beside two busy
// builds and with two cores a request of 2.5 ms took 21 ms without them (99 % under 46),
// 5.5 with (24); with a third thread of the store's compactions 26 (65) and 8 (27).
const spareThreads = 2

// processors are the cores of the process.
var processors = sync.OnceValue(func() int {
	cores := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(cores + spareThreads)
	}
	return cores
})

// Processors is the number of cores that the process may use: what works on something
// with all it has takes so many goroutines. The first call makes room for spare threads,
// unless an operator has set GOMAXPROCS or others live in the process.
func (m *Machine) Processors() int {
	if m.Shared {
		return runtime.GOMAXPROCS(0)
	}
	return processors()
}
