package wire

import (
	"encoding/json"
	"fmt"
)

// ValueProgram names the value that holds the Version that the log is written for, a JSON
// number. The leader raises it once the programs of all members know a newer one, and
// lets nobody in from then on whose program does not: so whoever reads it may write what
// that version brought, whenever what it writes comes into the log
// (docs/adr/0021-the-log-is-of-one-version.md). It never goes back.
const ValueProgram = "program"

// ProgramValue is the value that says that the log is of a version.
func ProgramValue(version int) *Value {
	return &Value{Name: ValueProgram, JSON: json.RawMessage(fmt.Sprint(version))}
}

// ProgramOf reads the version out of the value; 0 when it holds none.
func ProgramOf(v Value) int {
	var version int
	if err := json.Unmarshal(v.JSON, &version); err != nil {
		return 0 // only ProgramValue writes it
	}
	return version
}

// LeastSpoken is the newest version that the programs of all nodes know, 0 without nodes.
func LeastSpoken(nodes []*Node) int {
	least := 0
	for i, n := range nodes {
		if i == 0 || n.Version < least {
			least = n.Version
		}
	}
	return least
}
