package folder

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/node/formation"
	"shoal/node/machine"
)

const clusterOfTests = "2a0f1f4e-6a44-4f0e-9a5b-0d8c9b1c6a11"

// inhabited is a data folder with all its small files.
func inhabited(t *testing.T) *machine.Files {
	t.Helper()
	files := inMemory(vfs.NewMem())
	f, err := Open(files, "/data")
	if err == nil {
		err = f.First.Begin(formation.Members{{Name: "one", ID: f.ID}, {Name: "two", ID: "another"}})
	}
	if err == nil {
		err = f.SetClusterID(clusterOfTests)
	}
	if err == nil {
		_, err = OwnSecret(files, "/data")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// remembered is the content of all small files.
type remembered struct {
	id, cluster, secret string
	members             formation.Members
	begun               bool
}

func remember(files *machine.Files) (r remembered, err error) {
	f, err := Open(files, "/data")
	if err != nil {
		return r, err
	}
	r.id = string(f.ID)
	r.members, r.begun = f.First.State()
	if r.cluster, err = f.ClusterID(); err == nil {
		r.secret, err = OwnSecret(files, "/data")
	}
	if err != nil {
		_ = f.Close()
		return r, err
	}
	return r, f.Close()
}

func (r remembered) equal(o remembered) bool {
	return r.id == o.id && r.cluster == o.cluster && r.secret == o.secret && r.begun == o.begun && r.members.Equal(o.members)
}

var smallFiles = []string{FileFormat, fileNodeID, fileCluster, FileFirst, FileSecret}

// A flipped bit in node-id made another UUID of it. A single node then served nothing and
// did not say why.
func TestAFlippedBitInASmallFileIsPutRight(t *testing.T) {
	files := inhabited(t)
	want, err := remember(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range smallFiles {
		path := "/data/" + name
		sound, err := files.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(sound) {
			hurt := bytes.Clone(sound)
			hurt[bit/8] ^= 1 << (bit % 8)
			told := ""
			files.Mended = func(path string) { told = path }
			if err := files.WriteFile(path, hurt); err != nil {
				t.Fatal(err)
			}
			got, err := remember(files)
			if err != nil || !got.equal(want) || filepath.Base(told) != name {
				t.Fatalf("%s, bit %d: %+v, %v, told of %q", name, bit, got, err, told)
			}
			if now, err := files.ReadFile(path); err != nil || !bytes.Equal(now, sound) {
				t.Fatalf("%s, bit %d: the file is %q now: %v", name, bit, now, err)
			}
		}
	}
}

// The damage is two bits, missing bytes, or bits in files of a program that wrote no
// checksums. Each start serves what was written, or names the damaged file and says what to
// do.
func TestASmallFileThatIsDamagedMoreIsRefusedByName(t *testing.T) {
	files := inhabited(t)
	want, err := remember(files)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	try := func(what, name string, hurt []byte) {
		t.Helper()
		path := "/data/" + name
		sound, err := files.ReadFile(path)
		if err == nil {
			err = files.WriteFile(path, hurt)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := remember(files)
		switch {
		case err == nil && !got.equal(want):
			t.Errorf("%s, %s: it goes on with %+v", name, what, got)
		case err != nil && (!strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "empty the folder and start") && !strings.Contains(err.Error(), "write the secret of another node")):
			t.Errorf("%s, %s: %v", name, what, err)
		case err != nil:
			refused++
		}
		if err := files.WriteFile(path, sound); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range smallFiles {
		sound, err := files.ReadFile("/data/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(sound) {
			hurt := bytes.Clone(sound)
			hurt[bit/8] ^= 1 << (bit % 8)
			other := (bit*7 + 13) % (8 * len(sound))
			hurt[other/8] ^= 1 << (other % 8)
			if other != bit {
				try("two bits", name, hurt)
			}
		}
		for n := range len(sound) {
			if n == len(sound)-len("crc32c 01234567\n") {
				continue // is a file of a program that wrote no sums
			}
			if name == FileSecret && n < len(sound)-len("\ncrc32c 01234567\n") {
				continue // a shorter secret, which other nodes refuse; nothing is lost
			}
			try("cut off", name, sound[:n])
		}
		try("zeros", name, make([]byte, len(sound)))
	}
	if refused < 1000 {
		t.Errorf("only %d were refused: the test does not try what it says", refused)
	}
}

// Earlier programs wrote such files.
func TestSmallFilesWithoutSumsAreRead(t *testing.T) {
	files := inhabited(t)
	want, err := remember(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range smallFiles {
		path := "/data/" + name
		b, err := files.ReadFile(path)
		if err == nil {
			err = files.WriteFile(path, b[:len(b)-len("crc32c 01234567\n")])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, err := remember(files); err != nil || !got.equal(want) {
		t.Errorf("%+v, %v", got, err)
	}
}
