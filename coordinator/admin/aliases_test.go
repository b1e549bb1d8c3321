package admin

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"shoal/api/apierr"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// aliased returns the aliases of a cluster with two indexes, whose programs know a version.
func aliased(version, aliases int) (*coordtest.MetaLog, *Aliases) {
	log := coordtest.NewMetaLog()
	log.State.AllIndexes = []*wire.Index{{ID: 1, UID: "v1"}, {ID: 2, UID: "v2"}}
	log.State.Version = version
	for i := range aliases {
		log.State.AllAliases = append(log.State.AllAliases, &wire.Alias{Name: fmt.Sprintf("a%d", i), Index: "v1"})
	}
	return log, NewAliases(log)
}

func codeOf(err error) string {
	var client *apierr.Error
	if errors.As(err, &client) {
		return client.Code.Name
	}
	return fmt.Sprint(err)
}

// A node of an older program would stop at the entry.
func TestAliasesWaitUntilAllProgramsKnowThem(t *testing.T) {
	_, a := aliased(wire.AliasesSince-1, 0)
	if _, err := a.Turn(t.Context(), "films", "v1", nil); err == nil || err.Error() != apierr.AliasesNeedUpgrade().Error() {
		t.Errorf("turned in a cluster with an older program: %v", err)
	}
	_, a = aliased(wire.AliasesSince, 0)
	if _, err := a.Turn(t.Context(), "films", "v1", nil); err != nil {
		t.Error(err)
	}
}

// A cluster with as many aliases as it may have still turns and removes them.
func TestTheNumberOfAliasesIsBounded(t *testing.T) {
	_, a := aliased(wire.AliasesSince, MaxAliases)
	if _, err := a.Turn(t.Context(), "films", "v1", nil); codeOf(err) != "too_many_aliases" {
		t.Errorf("one more: %v", err)
	}
	if _, err := a.Turn(t.Context(), "a7", "v2", nil); err != nil {
		t.Errorf("a turn: %v", err)
	}
	if err := a.Remove(t.Context(), "a7"); err != nil {
		t.Errorf("a removal: %v", err)
	}
	if _, err := a.Turn(t.Context(), "films", "v1", nil); err != nil {
		t.Errorf("a place is free: %v", err)
	}
}

// What another client changes between the check and the entry is seen by the next attempt.
func TestAChangeInBetweenIsSeen(t *testing.T) {
	from := "v1"
	log, a := aliased(wire.AliasesSince, 1)
	_, other := aliased(wire.AliasesSince, 0)
	other.log = log
	log.Conflict = func() {
		if _, err := other.Turn(context.Background(), "a0", "v2", nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := a.Turn(t.Context(), "a0", "v1", &from); codeOf(err) != "alias_points_elsewhere" {
		t.Errorf("turned from an index to which it did not point any more: %v", err)
	}
	log.Conflict = func() {
		if err := other.Remove(context.Background(), "a0"); err != nil {
			t.Error(err)
		}
	}
	if err := a.Remove(t.Context(), "a0"); codeOf(err) != "alias_not_found" {
		t.Errorf("removed twice: %v", err)
	}
}
