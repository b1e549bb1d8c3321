package dictionary

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ikawaha/kagome-dict/dict"
)

// small is a dictionary of three words of one class of characters.
func small(t *testing.T) *dict.Dict {
	t.Helper()
	words := []string{"ab", "abc", "c"}
	index, err := dict.BuildIndexTable(words)
	if err != nil {
		t.Fatal(err)
	}
	index.Dup[2] = 0
	return &dict.Dict{
		Morphs: dict.Morphs{{Weight: 10}, {Weight: 5}, {Weight: -3}}, Index: index,
		Connection:   dict.ConnectionTable{Row: 2, Col: 2, Vec: []int16{1, -2, 3, 4}},
		CharCategory: make(dict.CharCategory, 256), InvokeList: dict.InvokeList{false}, GroupList: dict.GroupList{true},
		UnkDict: dict.UnkDict{Morphs: dict.Morphs{{Weight: 100}}, Index: map[int32]int32{0: 0}, IndexDup: map[int32]int32{0: 0}},
	}
}

// file writes a dictionary into a file and returns its sum.
func file(t *testing.T, one Set, d *dict.Dict) (f *os.File, sum string) {
	t.Helper()
	var b bytes.Buffer
	sum, err := Write(&b, one, d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), FileName(one))
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, sum
}

func TestAFileHoldsItsDictionary(t *testing.T) {
	want := small(t)
	f, sum := file(t, Japanese, want)
	if err := checkHead(f, "japanese", sum); err != nil {
		t.Fatal(err)
	}
	got, err := read(f, sum)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, wrote %+v", got, want)
	}
	if again, err := Sum(want); err != nil || again != sum {
		t.Errorf("sum %s, %v; in the file %s", again, err, sum)
	}
}

func TestAFileThatIsNotTheDictionaryIsRefused(t *testing.T) {
	f, sum := file(t, Korean, small(t))
	if err := checkHead(f, "japanese", sum); !errors.Is(err, errNotDictionary) {
		t.Errorf("another dictionary: %v", err)
	}
	if err := checkHead(f, "korean", strings.Repeat("0", len(sum))); !errors.Is(err, errOther) {
		t.Errorf("another version: %v", err)
	}
	if err := f.Truncate(10); err != nil {
		t.Fatal(err)
	}
	if err := checkHead(f, "korean", sum); !errors.Is(err, errNotDictionary) {
		t.Errorf("a short file: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "korean.dictionary"), bytes.Repeat([]byte("x"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := Open(dir, nil); !errors.Is(err, errNotDictionary) || found != 0 {
		t.Errorf("found %s: %v", found, err)
	}
	if found, err := Open(t.TempDir(), nil); err != nil || found != 0 {
		t.Errorf("an empty folder: %s, %v", found, err)
	}
}

func TestADamagedFileCutsNothing(t *testing.T) {
	f, sum := file(t, Korean, small(t))
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(headSize); at < info.Size(); at++ {
		var b [1]byte
		if _, err := f.ReadAt(b[:], at); err != nil {
			t.Fatal(err)
		}
		for bit := range 8 {
			if _, err := f.WriteAt([]byte{b[0] ^ 1<<bit}, at); err != nil {
				t.Fatal(err)
			}
			// A flipped bit that is never read changes nothing. Whatever is read is
			// complete.
			if d, err := read(f, sum); err == nil {
				if now, err := Sum(d); err != nil || now != sum {
					t.Fatalf("byte %d, bit %d: a dictionary of sum %s, %v", at, bit, now, err)
				}
			} else if !errors.Is(err, errDamaged) {
				t.Fatalf("byte %d, bit %d: %v", at, bit, err)
			}
		}
		if _, err := f.WriteAt(b[:], at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(info.Size() - 3); err != nil {
		t.Fatal(err)
	}
	if _, err := read(f, sum); !errors.Is(err, errDamaged) {
		t.Errorf("cut short: %v", err)
	}
}

func TestLengthsAreBoundedBeforeTheyAreBelieved(t *testing.T) {
	for _, body := range [][]byte{{0xff, 0xff, 0xff, 0x7f}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0}} {
		if _, err := decode(bufio.NewReader(bytes.NewReader(body))); !errors.Is(err, errTooLong) {
			t.Errorf("%s: %v", hex.EncodeToString(body), err)
		}
	}
}

func TestALongStretchIsCutInChunks(t *testing.T) {
	if process.books[Korean] == nil {
		if err := Use(Korean, small(t)); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Repeat("가", 3*maxStretch)
	total := 0
	Cut(Korean, text, func(n int) bool {
		if n <= 0 || n%3 != 0 {
			t.Fatalf("a piece of %d bytes at %d cuts a character", n, total)
		}
		total += n
		return true
	})
	if total != len(text) {
		t.Errorf("%d bytes of %d", total, len(text))
	}
}

func TestATextIsNeverCutWithoutItsDictionary(t *testing.T) {
	defer func() {
		var missing *MissingError
		if err, ok := recover().(error); !ok || !errors.As(err, &missing) || !strings.Contains(err.Error(), "--dictionaries") {
			t.Errorf("%v", err)
		}
	}()
	Cut(Japanese, "東京", func(int) bool { return true })
	t.Error("it was cut")
}

func TestSetsNameTheirDictionaries(t *testing.T) {
	for set, want := range map[Set]string{0: "none", Japanese: "japanese", Korean: "korean", All: "japanese, korean"} {
		if got := set.String(); got != want {
			t.Errorf("%d: %s, not %s", set, got, want)
		}
	}
	if All.Has(Japanese) == false || Japanese.Has(All) {
		t.Error("Has")
	}
}
