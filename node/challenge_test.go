package node

import (
	"testing"

	"shoal/wire"
)

// holder is the greeter of a node with a master key.
func holder(id wire.NodeID, key, cluster string) *greeter {
	m := &membership{}
	m.name.Store(&cluster)
	p := &peers{process: &process{}, key: masterKey(key), directory: directory{cluster: m, self: wire.Node{ID: id}}}
	return newGreeter(p)
}

func TestTheMasterKeyIsProvenOnlyByItsHolder(t *testing.T) {
	const cluster = "c1"
	a, b := holder("a", "the key of the cluster", cluster), holder("b", "the key of the cluster", cluster)
	stranger := holder("x", "another key", cluster)
	asked := newChallenge()
	answer := func(from *greeter, proof []byte) *helloReply { return &helloReply{Hello: *from.hello(), Proof: proof} }
	if !a.sameKey("b", asked, answer(b, b.key.proof("a", "b", asked))) {
		t.Error("a node with the same key is refused")
	}
	replayed := answer(stranger, b.key.proof("a", "b", asked))
	replayed.Hello.KeyCheck = b.hello().KeyCheck // it greeted b before
	echoed := answer(stranger, nil)
	echoed.Hello.KeyCheck = a.hello().KeyCheck // it was greeted by a just now
	for what, got := range map[string]*helloReply{
		"another key":                  answer(stranger, stranger.key.proof("a", "x", asked)),
		"the answer of another node":   replayed,
		"an answer to it given back":   answer(stranger, a.key.proof("x", "a", asked)),
		"an answer to an old question": answer(stranger, b.key.proof("a", "x", newChallenge())),
		"the digest that a sent":       echoed,
		"nothing":                      {Hello: hello{Node: stranger.self}},
	} {
		if a.sameKey("x", asked, got) {
			t.Errorf("a node without the master key was taken in for %s", what)
		}
	}
}
