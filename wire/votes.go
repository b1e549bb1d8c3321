package wire

import (
	"encoding/json"
	"fmt"
)

// ValueVotes names the value with the number of votes that the cluster keeps, a JSON number.
// The leader raises it before it gives a vote. Only an operator's removal of a member lowers it
// (docs/adr/0031-votes-are-kept.md).
const ValueVotes = "votes"

// VotesValue returns the value with the given number of votes.
func VotesValue(votes int) *Value {
	return &Value{Name: ValueVotes, JSON: json.RawMessage(fmt.Sprint(votes))}
}

// VotesOf returns the number in the value; 0 when it has none.
func VotesOf(v Value) int {
	var votes int
	if err := json.Unmarshal(v.JSON, &votes); err != nil {
		return 0 // only VotesValue writes it
	}
	return votes
}

// Majority returns how many of the given voters must agree on an entry, and so have it on disk
// once it is acknowledged.
func Majority(votes int) int { return votes/2 + 1 }
