package lease

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
	"shoal/wire/await"
)

// script is one term of the node a on a clock that stands still. Times are milliseconds, log
// times plain numbers.
type script struct {
	*Table
	clock   time.Duration
	servers []raft.Server
	calls   sync.WaitGroup
	pushed  chan string
}

func newScript(t *testing.T, length, before int, voters, others string) *script {
	r := &script{pushed: make(chan string, 100)}
	clock := Clock{elapsed: func() time.Duration { return r.clock }}
	machine := &fsm.FSM{Machine: &state.Machine{}, Applied: await.NewSignal()}
	cfg := Config{
		Node: "a", Length: time.Duration(length) * time.Millisecond, FormerLength: time.Duration(before) * time.Millisecond,
		Tell: func(_ context.Context, to wire.NodeID, watermark int64) error {
			r.pushed <- fmt.Sprintf("%s is told %d", to, watermark)
			return nil
		},
		Clock: clock, FSM: machine, Own: NewOwn(clock, machine, nil), Servers: func() []raft.Server { return r.servers },
		Begin: r.calls.Go, Log: slog.New(slog.DiscardHandler), Term: 5, Predecessor: "c",
	}
	r.Table = &Table{cfg: cfg, ctx: t.Context(), length: int64(cfg.Length), nodes: map[wire.NodeID]*standing{}}
	r.former = former{moments: map[wire.NodeID]int64{}}
	for _, id := range strings.Fields(voters) {
		r.servers = append(r.servers, raft.Server{ID: raft.ServerID(id), Suffrage: raft.Voter})
	}
	for _, id := range strings.Fields(others) {
		r.servers = append(r.servers, raft.Server{ID: raft.ServerID(id), Suffrage: raft.Nonvoter})
	}
	for _, s := range r.servers {
		if s.ID != "a" { // counted as leased by the leader before
			r.nodes[wire.NodeID(s.ID)] = &standing{until: r.length + slack(r.length)}
		}
	}
	return r
}

// TestTableScripts: who is leased, for how long, and what may be shown. Renew with -rewrite.
func TestTableScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var r *script
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "term" {
				var lease, before int
				var voters, others string
				d.ScanArgs(t, "lease", &lease)
				d.ScanArgs(t, "former", &before)
				d.ScanArgs(t, "voters", &voters)
				d.MaybeScanArgs(t, "others", &others)
				r = newScript(t, lease, before, strings.ReplaceAll(voters, "+", " "), strings.ReplaceAll(others, "+", " "))
				return ""
			}
			return r.do(t, d)
		})
	})
}

// do runs one command of a script.
func (r *script) do(t *testing.T, d *datadriven.TestData) string {
	number := func(name string, otherwise int64) int64 {
		d.MaybeScanArgs(t, name, &otherwise)
		return otherwise
	}
	switch d.Cmd {
	case "wait": // the clock goes on
		r.clock += time.Duration(number("ms", 0)) * time.Millisecond
	case "applied": // by the leader; awaited: clients wait for it
		r.cfg.FSM.LastAt.Store(number("at", 0))
		r.cfg.FSM.LastAwaited.Store(number("awaited", 0))
		r.Current()
	case "floor":
		r.floor = number("at", 0)
	case "report":
		return r.reported(d, number)
	case "voters": // those that say something of the leases before
		r.former = newFormer(raftlog.VotersOf(r.servers), 0, 0)
		r.former.moments["a"] = 0
		return fmt.Sprintln(r.former.voters)
	case "learn": // a watermark that a leader told
		r.cfg.Own.Learn(number("at", 0))
		return fmt.Sprintln(r.cfg.Own.Known())
	case "steady":
		return r.steady(d, number)
	case "watermark":
		return fmt.Sprintf("%d, own lease until %d ms\n", r.Current(), r.cfg.Own.Until()/1e6)
	case "push":
		return r.told(number("calls", 0))
	case "members":
		return r.listed()
	default:
		t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	}
	return ""
}

// reported is the answer to a report: echo is when the node heard the clock it repeats.
func (r *script) reported(d *datadriven.TestData, number func(string, int64) int64) string {
	report := &Report{
		Node: wire.NodeID(d.CmdArgs[0].Key), At: number("at", 0), Index: uint64(number("index", 0)),
		Term: uint64(number("term", 5)), Echo: number("echo", 0) * 1e6,
	}
	answer := r.answer(report)
	text := fmt.Sprintf("watermark %d", answer.Watermark)
	if answer.Leased {
		text += fmt.Sprintf(", leased for %d ms", answer.Left/1e6)
	}
	if answer.Barred {
		text += ", barred"
	}
	return text + "\n"
}

// told pushes the watermark and waits for so many calls.
func (r *script) told(calls int64) string {
	r.push()
	var out []string
	for range calls {
		out = append(out, <-r.pushed)
	}
	r.calls.Wait() // no other call is under way
	select {
	case more := <-r.pushed:
		out = append(out, "one call more than expected: "+more)
	default:
	}
	if len(out) == 0 {
		return "nobody is told\n"
	}
	slices.Sort(out)
	return strings.Join(out, "\n") + "\n"
}

// steady has a node report as often as every says, until it is leased.
func (r *script) steady(d *datadriven.TestData, number func(string, int64) int64) string {
	begun, every := r.clock, time.Duration(number("every", 0))*time.Millisecond
	for r.clock-begun < time.Minute {
		r.clock += every
		answer := r.answer(&Report{Node: wire.NodeID(d.CmdArgs[0].Key), At: number("at", 0), Term: 5, Echo: int64(r.clock)})
		if answer.Leased {
			return fmt.Sprintf("leased after %s\n", r.clock-begun)
		}
	}
	return "not leased\n"
}

// listed is what the leader knows of the others.
func (r *script) listed() string {
	var out strings.Builder
	lags := r.Lags(100)
	for _, id := range slices.Sorted(maps.Keys(r.nodes)) {
		s := r.nodes[id]
		fmt.Fprintf(&out, "%s has applied %d", id, s.at)
		if lag, ok := lags[id]; ok {
			fmt.Fprintf(&out, ", %d entries behind", lag)
		}
		if now := r.now(); now < s.until {
			fmt.Fprintf(&out, ", counts as leased for %d ms", (s.until-now)/1e6)
		}
		if r.silent(id, s) {
			out.WriteString(", silent")
		}
		out.WriteString("\n")
	}
	return out.String()
}
