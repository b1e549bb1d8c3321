package wire

import (
	"encoding/json"
	"fmt"
)

// ValueProgram names the value with the version of the log, a JSON number. The leader raises it
// once the programs of all members know a newer version, and from then on admits only nodes
// whose programs know it. Therefore a node that reads the value may use the features of that
// version, whenever its entry gets into the log (docs/adr/0021-the-log-is-of-one-version.md).
// It never decreases.
const ValueProgram = "program"

// ProgramValue returns the value with the given version of the log.
func ProgramValue(version int) *Value {
	return &Value{Name: ValueProgram, JSON: json.RawMessage(fmt.Sprint(version))}
}

// ProgramOf returns the version in the value; 0 when it has none.
func ProgramOf(v Value) int {
	var version int
	if err := json.Unmarshal(v.JSON, &version); err != nil {
		return 0 // only ProgramValue writes it
	}
	return version
}

// LeastSpoken returns the newest version that the programs of all nodes know, 0 without nodes.
func LeastSpoken(nodes []*Node) int {
	least := 0
	for i, n := range nodes {
		if i == 0 || n.Version < least {
			least = n.Version
		}
	}
	return least
}
