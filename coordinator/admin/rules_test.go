package admin

import (
	"fmt"
	"testing"

	"shoal/api"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/task"
	"shoal/wire"
)

// rulesLog is a MetaLog with pending tasks.
type rulesLog struct {
	*coordtest.MetaLog
	pending []*wire.Task
}

func (l *rulesLog) Pending() []*wire.Task { return l.pending }

func TestTheTargetOfARuleIncludesPendingTasks(t *testing.T) {
	log := &rulesLog{MetaLog: coordtest.NewMetaLog()}
	rules := NewSearchRules(log, nil, nil)
	change := func(uid uint32, body string) *wire.Task {
		return &wire.Task{UID: uid, Kind: task.DynamicRulesUpdate, Body: []byte(body), EnqueuedAt: int64(uid)}
	}
	put := func(tasks ...*wire.Task) {
		t.Helper()
		changes, _, err := ApplyRules(log.Catalog(), tasks)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: changes}}); err != nil {
			t.Fatal(err)
		}
	}
	put(change(1, `{"uid":"stays","update":{"description":"s"}}`), change(2, `{"uid":"goes","update":{"description":"g"}}`))
	target := func(uid string) string {
		t.Helper()
		got, err := rules.RuleTarget(t.Context(), uid)
		if err != nil {
			return err.Error()
		}
		text := func(r *api.SearchRule) string {
			if r == nil {
				return "none"
			}
			return fmt.Sprint(*r.Description, " at ", r.UpdatedAt)
		}
		return fmt.Sprint(text(got.Current), ", ", text(got.Target), ", ", got.TaskUIDs)
	}
	if got := target("stays"); got != "s at 1, s at 1, []" {
		t.Error(got)
	}
	other := &wire.Task{UID: 4, Kind: task.DocumentAddition}
	log.pending = []*wire.Task{change(3, `{"uid":"goes"}`), other, change(5, `{"uid":"new","update":{"description":"n"}}`), change(6, `{"uid":"new","update":{"description":"m"}}`)}
	for uid, want := range map[string]string{
		"stays": "s at 1, s at 1, []", "goes": "g at 2, none, [3]", "new": "none, m at 6, [5 6]",
		"never": "Dynamic search rule `never` not found.",
	} {
		if got := target(uid); got != want {
			t.Errorf("%s: %s, want %s", uid, got, want)
		}
	}
	list := func() string {
		t.Helper()
		got, err := rules.TargetRules(t.Context(), &api.SearchRuleQuery{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%d of %d to %d by %v:", got.Total, got.Rules, got.TargetRules, got.TaskUIDs)
		for i, r := range got.Page {
			text += fmt.Sprint(" ", r.UID, got.Changing[i])
		}
		return text
	}
	if got := list(); got != "2 of 2 to 2 by [3 5 6]: newtrue staysfalse" {
		t.Error(got)
	}
	// A task that is applied while it still counts as pending has no further effect.
	put(log.pending[0], log.pending[2], log.pending[3])
	if got := target("new"); got != "m at 6, m at 6, [5 6]" {
		t.Error(got)
	}
	log.pending = append(log.pending, &wire.Task{UID: 7, Kind: task.DynamicRulesClear})
	if got := list(); got != "0 of 2 to 0 by [3 5 6 7]:" {
		t.Error(got)
	}
}
