package wire

import (
	"encoding/json"
	"fmt"
)

// ValueVotes names the value that holds how many votes the cluster keeps, a JSON number.
// The leader raises it before it gives a vote; only the removal of a member by an
// operator lowers it (docs/adr/0031-votes-are-kept.md).
const ValueVotes = "votes"

// VotesValue is the value that says how many votes the cluster keeps.
func VotesValue(votes int) *Value {
	return &Value{Name: ValueVotes, JSON: json.RawMessage(fmt.Sprint(votes))}
}

// VotesOf reads the number out of the value; 0 when it holds none.
func VotesOf(v Value) int {
	var votes int
	if err := json.Unmarshal(v.JSON, &votes); err != nil {
		return 0 // only VotesValue writes it
	}
	return votes
}

// Majority is how many of so many voters agree on an entry, so on how many disks it is
// once it is acknowledged.
func Majority(votes int) int { return votes/2 + 1 }
