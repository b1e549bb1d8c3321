package text

// patternTrie finds the longest of a set of patterns at a position of a text. It holds the
// patterns of more than one character; tables hold single characters. It is immutable once
// built.
type patternTrie struct {
	nodes []patternNode
	// first marks the first bytes of patterns.
	first [256]bool
}

type patternNode struct {
	// labels and next list the edges in insertion order: a node has few.
	labels []byte
	next   []int32
	final  bool
}

func (t *patternTrie) add(pattern string) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, patternNode{})
	}
	t.first[pattern[0]] = true
	at := int32(0)
	for i := 0; i < len(pattern); i++ {
		child := t.nodes[at].child(pattern[i])
		if child < 0 {
			child = int32(len(t.nodes))
			t.nodes = append(t.nodes, patternNode{})
			t.nodes[at].labels = append(t.nodes[at].labels, pattern[i])
			t.nodes[at].next = append(t.nodes[at].next, child)
		}
		at = child
	}
	t.nodes[at].final = true
}

func (n *patternNode) child(b byte) int32 {
	for i, l := range n.labels {
		if l == b {
			return n.next[i]
		}
	}
	return -1
}

// longest returns the length of the longest pattern that s starts with, 0 when
// there is none.
func (t *patternTrie) longest(s string) int {
	at, found := int32(0), 0
	for i := 0; i < len(s); i++ {
		if at = t.nodes[at].child(s[i]); at < 0 {
			break
		}
		if t.nodes[at].final {
			found = i + 1
		}
	}
	return found
}
