package ordered

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// The power fails at each operation of a store that is opened, on a file system that keeps any
// of the names that were not synced. What was written before is there.
func TestAStoreOpensWhereverThePowerFails(t *testing.T) {
	for seed := range uint64(40) {
		for at := 1; ; at++ {
			mem, kept := vfs.NewCrashableMem(), (*vfs.MemFS)(nil)
			store := open(t, mem)
			if err := store.Set([]byte("k"), []byte("v"), pebble.Sync); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			left := at
			store = open(t, errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
					if left--; left == 0 {
						kept = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(seed, uint64(at)))})
					}
				}
				return nil
			})))
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if kept == nil {
				break // it was open before
			}
			store = open(t, kept)
			value, closer, err := store.Get([]byte("k"))
			if err != nil || string(value) != "v" {
				t.Fatalf("seed %d, operation %d: %q %v", seed, at, value, err)
			}
			if err := closer.Close(); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func open(t *testing.T, fs vfs.FS) *pebble.DB {
	t.Helper()
	store, err := pebble.Open("store", &pebble.Options{FS: FS(fs), Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// quiet is pebble's logger, which says nothing unless the store cannot go on.
type quiet struct{ t *testing.T }

// Infof implements pebble.Logger.
func (quiet) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (quiet) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger.
func (q quiet) Fatalf(format string, args ...any) { q.t.Errorf(format, args...) }
