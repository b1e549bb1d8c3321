package routing

import "testing"

// The other half is left to other clients, and places are free again when an answer has
// been read.
func TestLargeAnswersOfOneClientTakeHalfOfThePlaces(t *testing.T) {
	table := &largeTable{clients: map[string]int{}}
	take := func(host string) (n int) {
		for table.enter(host) {
			n++
		}
		return n
	}
	if a, b, c := take("a"), take("b"), take("c"); a != largePerClient || b != largeAnswers-largePerClient || c != 0 {
		t.Errorf("%d, %d and %d places", a, b, c)
	}
	table.leave("a")
	if n := take("c"); n != 1 {
		t.Errorf("%d places after one was left", n)
	}
	for range largePerClient - 1 {
		table.leave("a")
	}
	table.leave("c")
	for range largeAnswers - largePerClient {
		table.leave("b")
	}
	if table.all != 0 || len(table.clients) != 0 {
		t.Errorf("%d places taken, %v", table.all, table.clients)
	}
}
