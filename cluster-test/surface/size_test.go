package surface

import (
	"debug/elf"
	"runtime"
	"testing"

	"shoal/cluster-test/rig"
)

// TestTheProgramStaysSmall: a library or a line that asks a type for methods by a computed
// name has the linker keep every exported method, 7 MB of them (docs/adr/0026).
func TestTheProgramStaysSmall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads the format of programs for Linux")
	}
	const most = 45_000_000
	f, err := elf.Open(rig.Program())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD { // what is left of the file without symbols
			size += p.Filesz
		}
	}
	t.Logf("%d bytes", size)
	if size > most {
		t.Errorf("the program has %d bytes without symbols, at most %d are wanted", size, most)
	}
}
