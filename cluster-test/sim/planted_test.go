package sim

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/model"
)

// TestTheReplayFindsWhatTheModelDoesNotAllow plants faults in what a cluster did whose leader
// was killed, each where a fault of the product would have left it.
func TestTheReplayFindsWhatTheModelDoesNotAllow(t *testing.T) {
	o := simulate(t, 1, func(ctx context.Context, o *outcome) {
		pause(ctx, 2*time.Second)
		for _, h := range o.hosts[:firstMembers] { // one of them leads
			h.kill(true)
			pause(ctx, 2*time.Second)
			h.start()
			pause(ctx, time.Second)
		}
	})
	for _, c := range []struct {
		name, says string
		plant      func(events []model.Event) []model.Event
	}{
		{"an entry is applied that was not committed", "less than a majority has the entry", func(all []model.Event) []model.Event {
			// It is applied by the leader as soon as it is in its log.
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Applied && e.At > harmAt })
			stored := find(all, func(e *model.Event) bool { return e.Kind == model.Stored && has(e, all[at].Index) })
			early := all[at]
			early.Node, early.At = all[stored].Node, all[stored].At
			return slices.Insert(all, stored+1, early)
		}},
		{"a node applies another entry", "or one that is not in its log", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Applied && e.At > harmAt })
			all[at].Entries = slices.Clone(all[at].Entries)
			all[at].Entries[0].ID++
			return all
		}},
		{"an old leader grants a lease", "a lease comes from an old leader", func(all []model.Event) []model.Event {
			// It believes to have had a majority when another one had been elected for a second.
			old := find(all, func(e *model.Event) bool { return e.Kind == model.Leased })
			next := find(all, func(e *model.Event) bool {
				return e.Kind == model.Leased && e.Term > all[old].Term && e.Node != all[old].Node && e.At > harmAt
			})
			late := all[next]
			late.Term, late.Until = all[old].Term, late.At+2*leaseLength
			return slices.Insert(all, next+1, late)
		}},
		{"an end is shown before a leased node has applied it", "an end is shown that a leased node has not applied", func(all []model.Event) []model.Event {
			last := 0
			for at := range all {
				switch e := &all[at]; {
				case e.Kind == model.Applied && len(e.Entries) > 0:
					last = at
				case e.Kind == model.Shown && e.At > harmAt && slices.Contains(e.Counted, all[last].Node):
					// The entry is among those that are shown, and nothing follows it before.
					if newest := all[last].Entries[len(all[last].Entries)-1]; !newest.Silent && newest.Time <= e.Time {
						return slices.Delete(all, last, last+1)
					}
				}
			}
			t.Fatal("no end is shown right after a leased node has applied its entry")
			return nil
		}},
		{"a new leader does not count a lease", "a leader does not count a lease that has not ended", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Shown && e.At > harmAt && len(e.Counted) > 1 })
			all[at].Counted = nil
			return all
		}},
		{"an applied entry is removed", "an acknowledged entry is removed from a disk", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Applied && e.At > harmAt })
			return slices.Insert(all, at+1, model.Event{At: all[at].At, Kind: model.Deleted, Node: all[at].Node, Index: all[at].Index, Last: 1 << 40})
		}},
		{"an entry is replaced by another one", "two entries of one place and term differ", func(all []model.Event) []model.Event {
			first := find(all, func(e *model.Event) bool { return e.Kind == model.Stored && e.At > harmAt })
			second := find(all, func(e *model.Event) bool {
				return e.Kind == model.Stored && e.Node != all[first].Node && has(e, all[first].Entries[0].Index)
			})
			all[second].Entries = slices.Clone(all[second].Entries)
			for i := range all[second].Entries {
				all[second].Entries[i].ID++
			}
			return all
		}},
		{"a node votes twice", "a node votes twice in a term", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.VotedFor && e.For != e.Node })
			again := all[at]
			again.For = again.Node
			return slices.Insert(all, at+1, again)
		}},
		{"an acknowledged entry is not on the disk after a loss of power", "entries are removed that the leader does not contradict|an acknowledged entry is removed from a disk", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Started && e.At > harmAt })
			all[at].Entries = all[at].Entries[:len(all[at].Entries)-1]
			return all
		}},
		{"a task is acknowledged before it is committed", "a task was acknowledged that was not committed", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Accepted })
			return slices.Insert(all, at, model.Event{At: all[at].At, Kind: model.Accepted, Node: all[at].Node, Task: 1 << 30})
		}},
		{"a client sees an end before it is shown", "a client has seen an end that was not shown", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Applied && len(e.Ended) > 0 && e.At > harmAt })
			return slices.Insert(all, at+1, model.Event{At: all[at].At, Kind: model.Seen, Node: all[at].Node, Task: all[at].Ended[0]})
		}},
		{"a node answers without a lease", "a node answered without a lease", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Stopped })
			late := model.Event{At: all[at].At + 2*leaseLength, Kind: model.Answered, Node: all[at].Node, Since: all[at].At + 2*leaseLength}
			i := find(all, func(e *model.Event) bool { return e.At > late.At })
			return slices.Insert(all[:i:i], i, late)
		}},
		{"a node that forgot goes on", "that of a node changes which does not serve", func(all []model.Event) []model.Event {
			at := find(all, func(e *model.Event) bool { return e.Kind == model.Started && e.At > harmAt })
			all[at].Entries = all[at].Entries[:len(all[at].Entries)/2]
			return slices.Insert(all, at, model.Event{At: all[at].At, Kind: model.PutBack, Node: all[at].Node})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := replay(c.plant(o.trace.ordered()))
			if err == nil {
				t.Fatalf("it was replayed: %v", r.Steps)
			}
			if !slices.ContainsFunc(strings.Split(c.says, "|"), func(want string) bool { return strings.Contains(err.Error(), want) }) {
				t.Errorf("it says: %v", err)
			}
			t.Logf("%.1000s", err)
		})
	}
}

// find is the place of the first event that is so; the trace has one.
func find(all []model.Event, is func(*model.Event) bool) int {
	return slices.IndexFunc(all, func(e model.Event) bool { return is(&e) })
}

// has tells whether an event brings the entry of an index.
func has(e *model.Event, index uint64) bool {
	return slices.ContainsFunc(e.Entries, func(l model.Logged) bool { return l.Index == index })
}
