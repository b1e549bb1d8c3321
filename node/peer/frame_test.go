package peer

import (
	"errors"
	"testing"

	"shoal/api/apierr"
	"shoal/wire"
)

// received are messages that nodes read from links, each into an empty one.
var received = []func() any{
	func() any { return new(wire.SearchOpen) }, func() any { return new(wire.SearchStep) }, func() any { return new(wire.SearchReply) },
	func() any { return new(wire.BuildRequest) }, func() any { return new(wire.BuildReply) }, func() any { return new(wire.BlobChunk) },
	func() any { return new(wire.Command) }, func() any { return new(wire.Result) }, func() any { return new(wire.Node) },
}

// FuzzFrame reads the bytes of a frame like a node that receives them: an error is
// returned, an error of the other node keeps its meaning, and nothing panics.
func FuzzFrame(f *testing.F) {
	for i, make := range received {
		b, err := wire.Marshal(make())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), append([]byte{frameMessage}, b...))
	}
	for _, err := range append(conditions, apierr.New(apierr.CodeInternal, "a sentence")) {
		f.Add(uint8(0), append([]byte{frameError}, encodeError(err)...))
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{frameMessage, 0xdd, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		got := frame{}
		if len(data) > 0 {
			got.kind, got.data = data[0], data[1:]
		}
		message := received[int(which)%len(received)]()
		err := got.take(message)
		if got.kind == frameError {
			if err == nil {
				t.Fatal("an error of another node is none here")
			}
			if again := decodeError(encodeError(err)); again.Error() != err.Error() {
				t.Fatalf("%q is %q on the next link", err, again)
			}
			for _, c := range conditions {
				if errors.Is(err, c) && !errors.Is(decodeError(encodeError(err)), c) {
					t.Fatalf("%q is no %q any more on the next link", err, c)
				}
			}
			return
		}
		if err != nil {
			return
		}
		// Every message that was read can be written again.
		next, err := messageFrame(message)
		if err != nil {
			t.Fatal(err)
		}
		if err := next.take(received[int(which)%len(received)]()); err != nil {
			t.Fatalf("a message that was read cannot be read again: %v", err)
		}
	})
}
