package same

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

type value struct{ words [8]string }

func made(word string) func() (*value, error) {
	return func() (*value, error) { return &value{[8]string{word}}, nil }
}

func TestEqualKeysShareAValue(t *testing.T) {
	var s Values[string, value]
	a, _ := s.Of("a", made("first"))
	if again, err := s.Of("a", made("second")); err != nil || again != a {
		t.Error("a value that is held is made again", err)
	}
	if b, _ := s.Of("b", made("other")); b == a || b.words[0] != "other" {
		t.Error("another key has the same value")
	}
	failed := errors.New("no")
	if _, err := s.Of("c", func() (*value, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Error("a failure is lost", err)
	}
	if c, err := s.Of("c", made("now")); err != nil || c.words[0] != "now" {
		t.Error("a failure is kept", err)
	}
	runtime.KeepAlive(a)
}

func TestUnusedValuesAreForgotten(t *testing.T) {
	var s Values[string, value]
	for i := range 100 {
		if _, err := s.Of(fmt.Sprint(i), made("x")); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(10 * time.Second); s.Len() > 0; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d are kept", s.Len())
		}
	}
}

func TestConcurrentCallersShareAValue(t *testing.T) {
	var s Values[int, value]
	for key := range 100 {
		var got [8]*value
		var asking sync.WaitGroup
		for i := range got {
			asking.Go(func() { got[i], _ = s.Of(key, made("x")) })
		}
		asking.Wait()
		for _, v := range got {
			if v != got[0] {
				t.Fatal("two values")
			}
		}
	}
}
