package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"shoal/wire"
)

// told lists the counts of some methods, in their order.
func told(t *Traffic, methods ...string) string {
	var lines []string
	t.Each(func(method string, d Direction, messages, bytes uint64) {
		if slices.Contains(methods, method) {
			lines = append(lines, fmt.Sprintf("%s %s %d of %d bytes", method, d, messages, bytes))
		}
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestTrafficIsCounted makes calls and an exchange on a stream. An echo of n letters is
// n+5 bytes: its kind, a map with one name, a text.
func TestTrafficIsCounted(t *testing.T) {
	l := start(t, secretOfTests, secretOfTests)
	var traffic Traffic
	l.Count(&traffic)
	for _, text := range []string{"abc", "abcd"} {
		if _, err := Call[echo, echo](context.Background(), l, "n", "echo", &echo{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Call[echo, echo](context.Background(), l, "n", "behind", &echo{}); !errors.Is(err, wire.ErrBehind) {
		t.Fatal(err)
	}
	st, err := l.Open(context.Background(), "n", "upper")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := errors.Join(st.Send(&echo{Text: "a"}), st.Recv(new(echo))); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := st.Recv(new(echo)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	want := `echo received 2 of 17 bytes
echo sent 2 of 17 bytes
upper received 3 of 18 bytes
upper sent 3 of 18 bytes`
	if got := told(&traffic, "echo", "upper"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := told(&traffic, "behind"); !strings.HasPrefix(got, "behind received 1 of") {
		t.Error(got)
	}
}
