package consensus

import (
	"testing"
	"time"
)

// Each report of an idle node was a message of its own, and these caused more than half of
// its wake-ups.
func TestIdleNodesReportInsideHeartbeats(t *testing.T) {
	for name, walk := range map[string]bool{"this program": false, "a program whose heartbeats carry nothing": true} {
		t.Run(name, func(t *testing.T) {
			virtual(t, true, func(t *testing.T, n *network, lead *member, f *traffic) {
				n.mu.Lock()
				for id := range n.nodes {
					n.walk[id] = walk
				}
				n.mu.Unlock()
				time.Sleep(10 * time.Second)
				before := f.reports.Load()
				for range 1000 {
					time.Sleep(10 * time.Millisecond)
					for _, m := range n.running() {
						// A lease that arrives with the next heartbeat is good for as long as one that
						// comes at once.
						if left := time.Duration(m.own.Until() - m.ticks.Now()); left < m.cfg.Lease-m.reporter.Load().every()*2-4*oneWay {
							t.Fatalf("%s has a lease for %s", m.id, left)
						}
					}
				}
				reports := f.reports.Load() - before
				if least := int64(2 * 10 * time.Second / lead.reporter.Load().every() * 9 / 10); walk && reports < least {
					t.Errorf("%d messages with reports in ten seconds, %d keep the leases", reports, least)
				}
				if !walk && reports > 2 {
					t.Errorf("%d messages with reports in ten seconds", reports)
				}
			})
		})
	}
}

// A node whose reports no longer get through inside heartbeats reports by itself while
// there is time for more reports.
func TestNodesWithoutReportsInHeartbeatsKeepTheirLeases(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, f *traffic) {
		for range 20 {
			time.Sleep(3333 * time.Millisecond)
			before, set := f.reports.Load(), func(walk bool) {
				n.mu.Lock()
				defer n.mu.Unlock()
				for id := range n.nodes {
					n.walk[id] = walk
				}
			}
			set(true)
			time.Sleep(lead.cfg.Lease/4 + 2*oneWay)
			if got := f.reports.Load() - before; got != 2 {
				t.Errorf("%d reports of two followers in the time in which each sends one", got)
			}
			for range 100 {
				time.Sleep(10 * time.Millisecond)
				for _, m := range n.running() {
					if left := time.Duration(m.own.Until() - m.ticks.Now()); left < m.cfg.Lease/2 {
						t.Fatalf("%s has a lease for %s", m.id, left)
					}
				}
			}
			set(false)
		}
	})
}

// A write is shown as soon as ever while reports are sent inside heartbeats: a node that
// has applied an entry that clients wait for reports at once.
func TestAWriteAfterIdlenessDoesNotWaitForTheNextHeartbeat(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, _ *traffic) {
		term, _ := lead.Leading()
		_, longest := latency(t, 3333*time.Millisecond, func() error {
			res, err := lead.Propose(t.Context(), addTask("movies"))
			if err != nil {
				return err
			}
			if _, err = lead.Propose(t.Context(), finish(term, res.Task.UID)); err != nil {
				return err
			}
			for !lead.Visible(res.Task.UID) {
				time.Sleep(oneWay)
			}
			return nil
		})
		if limit := testHeartbeat / 10; longest > limit {
			t.Errorf("it took %s", longest)
		}
	})
}

// A node that had restarted would have counted a lease from a time of its own clock that
// the earlier process had named.
func TestAnAnswerToAnEarlierProcessIsNotKnown(t *testing.T) {
	var before, after carriedReports
	var last Report
	for range 3 {
		before.number(&last, 7_000_000)
	}
	if at, known := before.sentAt(last.Carried); !known || at != 7_000_000 {
		t.Errorf("its own report: %d %t", at, known)
	}
	if _, known := after.sentAt(last.Carried); known {
		t.Error("before it has sent any")
	}
	if _, known := after.sentAt(0); known {
		t.Error("an answer to none")
	}
	after.number(new(Report), 5)
	if _, known := after.sentAt(last.Carried); known {
		t.Error("the report of another process")
	}
	old := last.Carried
	if before.number(&last, 9_000_000); last.Carried == old {
		t.Error("two reports have the same number")
	}
	if _, known := before.sentAt(old); known {
		t.Error("the one before the newest")
	}
}

// The newer answer counts, whichever way it came. A late answer once made a node repeat an
// older clock.
func TestTheNewestClockOfTheNewestTermIsRepeated(t *testing.T) {
	var r carriedReports
	for _, c := range []struct{ term, clock, want int64 }{{3, 50, 50}, {3, 70, 70}, {3, 60, 70}, {4, 10, 10}, {3, 90, 10}} {
		if r.hear(&Reply{Term: uint64(c.term), Clock: c.clock}); r.heard.Clock != c.want {
			t.Errorf("after %d in term %d it repeats %d", c.clock, c.term, r.heard.Clock)
		}
	}
}
