package sim

import (
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/consensus"
	"shoal/node/machine"
)

// hugeDisk is the size of disks where it does not matter.
const hugeDisk = 1 << 40

// dataFolder is where nodes keep their data, each on its own disk.
const dataFolder = "/data"

// disk is that of one host. A loss of power keeps what was synced and some of the rest.
type disk struct {
	random *rand.Rand
	// size and free are what the system tells, whatever is written.
	size uint64
	free atomic.Uint64

	mu  sync.Mutex
	mem *vfs.MemFS
	// replaced counts the empty disks that were put in.
	replaced int
	// trap is sprung by the operation that brings left to 0.
	left int
	trap func()
}

func newDisk(random *rand.Rand, size uint64) *disk {
	d := &disk{random: random, size: size, mem: vfs.NewCrashableMem()}
	d.free.Store(hugeDisk)
	return d
}

// arm has f called within the write to the disk that comes after some others.
func (d *disk) arm(after int, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.trap = after, f
}

// disarm takes the trap away; it reports whether there was one.
func (d *disk) disarm() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.trap != nil
	d.trap = nil
	return was
}

func (d *disk) touched(mem *vfs.MemFS, op errorfs.Op) {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return
	}
	d.mu.Lock()
	var f func()
	if d.trap != nil && mem == d.mem {
		if d.left--; d.left <= 0 {
			f, d.trap = d.trap, nil
		}
	}
	d.mu.Unlock()
	if f != nil {
		f()
	}
}

// crash gives the disk the content that the next process finds. The one that has it open
// writes on where nobody looks.
func (d *disk) crash(power bool) {
	kept := 100 // what was written is with the system
	if power {
		kept = []int{0, 0, 50, 90}[d.random.IntN(4)]
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mem = d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: d.random})
}

// replace puts an empty disk in the place of this one.
func (d *disk) replace() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mem = vfs.NewCrashableMem()
	d.replaced++
}

// copied is what a disk held at one moment, as a backup of the whole disk has it.
type copied struct {
	mem *vfs.MemFS
	of  int // how often the disk had been replaced
}

// copy copies the disk while its process writes.
func (d *disk) copy() copied {
	d.mu.Lock()
	defer d.mu.Unlock()
	return copied{d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: d.random}), d.replaced}
}

// putBack makes the disk what it was when it was copied. It reports false, and does
// nothing, if the copy is of the disk that was here before this one.
func (d *disk) putBack(c copied) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.of != d.replaced {
		return false
	}
	d.mem = c.mem
	return true
}

// files are what a process gets.
func (d *disk) files(scratch string, latency func(), careless bool, seen *witness) *machine.Files {
	d.mu.Lock()
	mem := d.mem
	d.mu.Unlock()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error { d.touched(mem, op); return nil }))
	return &machine.Files{
		FS:      fs,
		Own:     func(file string) (io.Closer, error) { return fs.Lock(file) },
		Private: func(string, bool) error { return nil },
		Space:   func(string) (uint64, uint64, error) { return d.free.Load(), d.size, nil },
		RaftLog: func(dir string) (consensus.Log, error) { return openLog(fs, dir, latency, careless, seen) },
		Scratch: scratch,
	}
}
