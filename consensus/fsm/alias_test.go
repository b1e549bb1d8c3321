package fsm

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// aliases are those of the catalogue, as text.
func (s *script) aliases() string {
	text := ""
	for _, a := range s.fsm.Catalog.Load().Aliases() {
		text += a.Name + ">" + a.Index + " "
	}
	return text
}

func (s *script) change(changes ...wire.Change) (accepted bool) {
	s.t.Helper()
	return !s.do(&wire.Command{Update: &wire.Update{Changes: changes}}).Fenced
}

func made(uid string) wire.Change { return wire.Change{PutIndex: &wire.Index{UID: uid}} }

func turned(name, uid string, from ...string) wire.Change {
	c := &wire.AliasChange{Name: name, Index: uid}
	if len(from) > 0 {
		c.From = &from[0]
	}
	return wire.Change{PutAlias: c}
}

// Whatever the order of entries, an alias points to an index that exists, and no index has the
// name of an alias: chains and cycles of aliases cannot come about.
func TestAnAliasAlwaysPointsToAnIndex(t *testing.T) {
	s := newScript(t)
	for i, step := range []struct {
		changes  []wire.Change
		accepted bool
		want     string
	}{
		{[]wire.Change{turned("films", "v1")}, false, ""}, // no such index
		{[]wire.Change{made("v1"), made("v2")}, true, ""},
		{[]wire.Change{turned("films", "v1"), turned("pictures", "v1")}, true, "films>v1 pictures>v1 "},
		{[]wire.Change{turned("v1", "v2")}, false, "films>v1 pictures>v1 "},   // an index has the name
		{[]wire.Change{turned("v1", "v1")}, false, "films>v1 pictures>v1 "},   // itself
		{[]wire.Change{turned("a", "films")}, false, "films>v1 pictures>v1 "}, // an alias of an alias
		{[]wire.Change{turned("films", "films")}, false, "films>v1 pictures>v1 "},
		{[]wire.Change{made("films")}, false, "films>v1 pictures>v1 "}, // an alias has the name
		{[]wire.Change{{RenameIndex: &wire.Rename{IndexID: 2, UID: "films"}}}, false, "films>v1 pictures>v1 "},
		{[]wire.Change{turned("films", "v2", "v2")}, false, "films>v1 pictures>v1 "},
		{[]wire.Change{turned("new", "v2", "v1")}, false, "films>v1 pictures>v1 "},
		{[]wire.Change{turned("films", "v2", "v1")}, true, "films>v2 pictures>v1 "},
		{[]wire.Change{turned("films", "v1"), turned("films", "none")}, false, "films>v2 pictures>v1 "},    // all or nothing
		{[]wire.Change{{SwapNames: &[2]uint32{1, 2}}}, true, "films>v2 pictures>v1 "},                      // names stay what they name
		{[]wire.Change{{RenameIndex: &wire.Rename{IndexID: 1, UID: "v3"}}}, true, "films>v3 pictures>v1 "}, // v2 by now
		{[]wire.Change{turned("films", "", "v1")}, false, "films>v3 pictures>v1 "},
		{[]wire.Change{turned("pictures", "", "v1"), made("pictures")}, true, "films>v3 "},
		{[]wire.Change{turned("a", "v3"), {DropIndex: new(uint32(1))}}, true, ""}, // they go in the same entry
		{[]wire.Change{made("films"), made("a")}, true, ""},
	} {
		if got := s.change(step.changes...); got != step.accepted || s.aliases() != step.want {
			t.Errorf("step %d: accepted %t, aliases %q; want %t, %q", i, got, s.aliases(), step.accepted, step.want)
		}
	}
}

// Tasks before and after a turn in the log belong to the old and the new index; a turn does not
// move tasks that wait. What does not ask for it keeps its name.
func TestATaskBelongsToTheIndexOfItsAliasAtItsPlaceInTheLog(t *testing.T) {
	s := newScript(t)
	s.change(made("v1"), made("v2"), turned("films", "v1"))
	enqueue := func(aliases bool) uint32 {
		cmd := addTask("films")
		cmd.Enqueue.Task.Indexes = []string{"films"}
		cmd.Enqueue.Aliases = aliases
		return s.do(cmd).Task.UID
	}
	before := enqueue(true)
	s.change(turned("films", "v2"))
	after, itself := enqueue(true), enqueue(false)
	s.change(turned("films", ""))
	gone := enqueue(true)
	again := addTask("films")
	again.Enqueue.RequestID, again.Enqueue.Aliases = "once", true
	s.change(turned("films", "v1"))
	first := s.do(again).Task
	s.change(turned("films", "v2"))
	if got := s.do(again).Task; got.UID != first.UID || *got.IndexUID != "v1" {
		t.Errorf("a repeated request is told of task %d of %s, want %d of v1", got.UID, *got.IndexUID, first.UID)
	}
	for uid, want := range map[uint32]string{before: "v1", after: "v2", itself: "films", gone: "films"} {
		if got := s.task(uid); *got.IndexUID != want || got.Indexes[0] != want {
			t.Errorf("task %d belongs to %s and %v, want %s", uid, *got.IndexUID, got.Indexes, want)
		}
	}
}

// Aliases are in the store, so that a restart and a snapshot of the log keep them.
func TestAliasesSurviveARestart(t *testing.T) {
	disk := vfs.NewMem()
	s := &script{t: t, fsm: openTestFSM(t, disk)}
	s.change(made("v1"), turned("films", "v1"), turned("pictures", "v1"))
	s.change(turned("pictures", ""))
	if err := s.fsm.Close(); err != nil {
		t.Fatal(err)
	}
	s.fsm = openTestFSM(t, disk)
	defer func() {
		if err := s.fsm.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := s.aliases(); got != "films>v1 " {
		t.Errorf("after a restart the aliases are %q", got)
	}
}

// A turn costs the same with ten thousand aliases, and so does an entry that touches none.
func TestTenThousandAliases(t *testing.T) {
	s := newScript(t)
	s.change(made("v1"), made("v2"))
	var all []wire.Change
	for i := range 10_000 {
		all = append(all, turned(fmt.Sprintf("alias-%05d", i), "v1"))
	}
	s.change(all...)
	begun := time.Now()
	for i := range 100 {
		s.change(turned(fmt.Sprintf("alias-%05d", i), "v2"))
	}
	turns := time.Since(begun)
	if n := len(s.fsm.Catalog.Load().Aliases()); n != 10_000 {
		t.Errorf("%d aliases", n)
	}
	begun = time.Now()
	s.change(wire.Change{DropIndex: new(uint32(1))})
	if n := len(s.fsm.Catalog.Load().Aliases()); n != 100 {
		t.Errorf("%d aliases are left, want the 100 of the other index", n)
	}
	t.Logf("a turn takes %v, dropping 9,900 aliases with their index %v", turns/100, time.Since(begun))
}
