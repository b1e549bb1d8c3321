package powerloss

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/cluster-test/rig"
)

// What make powerloss hands on.
var (
	cutCount = flag.Int("cuts", 0, "how many times the power is cut in each test; 0 is short")
	seed     = flag.Uint64("seed", 1, "seed of what is written, and of what is kept")
)

// childVariable, in the environment of this program, makes it do what a test records.
const childVariable = "SHOAL_POWERLOSS_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childVariable); args != "" {
		if err := child(strings.Split(args, " ")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(rig.Main(m))
}

// record runs this program as a child that works in a new folder, and records it.
func record(t *testing.T, what, dir string, args ...string) *Recording {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := strings.Join(append([]string{what, dir}, args...), " ")
	tracer := trace(t, Command{Path: self, Env: append(os.Environ(), childVariable+"="+command), Folder: dir})
	status, err := tracer.Wait()
	if err != nil || !status.Exited() || status.ExitStatus() != 0 {
		t.Fatalf("the recorded program: %v, status %v", err, status)
	}
	return tracer.Recording
}

// trace starts a program whose output goes to the log of the test when that fails.
func trace(t *testing.T, c Command) *Tracer {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = out.Close()
		if b, err := os.ReadFile(out.Name()); t.Failed() && err == nil {
			t.Logf("the recorded program wrote: %s", b[max(0, len(b)-4000):])
		}
	})
	c.Output = out
	tracer, err := Start(c)
	if errors.Is(err, ErrUntraceable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

// checkCut restores a cut into a folder that is gone afterwards, and calls check with it.
func checkCut(t *testing.T, rec *Recording, c Cut, check func(dir string, announced []string) (wrong string)) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory(), "shoal-powerloss-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := rec.Restore(c, dir); err != nil {
		t.Fatal(err)
	}
	return check(dir, rec.Announced(c.At))
}

// memory is a folder in memory if there is one: a folder after a cut is needed for
// milliseconds only. "" is the usual one.
func memory() string {
	const shm = "/dev/shm"
	if f, err := os.CreateTemp(shm, "shoal-"); err == nil {
		if errors.Join(f.Close(), os.Remove(f.Name())) == nil {
			return shm
		}
	}
	return ""
}
