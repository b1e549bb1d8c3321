package task

import (
	"slices"
	"testing"

	"shoal/api"
)

// TestEveryKindHasARow: clients name exactly the kinds of the table, in its order.
func TestEveryKindHasARow(t *testing.T) {
	var names []string
	for _, k := range Table {
		names = append(names, string(k.Name))
	}
	if !slices.Equal(names, api.TaskKinds) {
		t.Errorf("kinds of the table:\n%s\nclients name\n%s", names, api.TaskKinds)
	}
}
