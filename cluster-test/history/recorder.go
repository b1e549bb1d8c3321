package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Recorder takes down events. Safe for concurrent use; the zero value is ready.
type Recorder struct {
	mu     sync.Mutex
	groups map[int][]porcupine.Operation
	client int
	clock  func() int64
}

// kind of an event.
type kind int

const (
	begun    kind = iota // a write may be seen from here on
	finished             // nothing older may be seen from here on
	read
)

// event is the input of one operation.
type event struct {
	kind  kind
	group int
	batch int // that was written or seen, 0 for none
}

// never is the end of what may happen at any time.
const never = int64(1) << 62

func (r *Recorder) now() int64 {
	if r.clock != nil {
		return r.clock()
	}
	return time.Now().UnixNano()
}

func (r *Recorder) add(call, done int64, e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.groups == nil {
		r.groups = map[int][]porcupine.Operation{}
	}
	r.client++
	r.groups[e.group] = append(r.groups[e.group], porcupine.Operation{ClientId: r.client, Input: e, Call: call, Output: nil, Return: done})
}

// Write notes that a batch, a number above 0 that is used once, is about to be sent.
// known is called with whether a node called it succeeded.
func (r *Recorder) Write(group, batch int) (known func(succeeded bool)) {
	call := r.now()
	return func(succeeded bool) {
		done := never
		if succeeded {
			done = r.now()
		}
		r.add(call, done, event{begun, group, batch})
		r.add(call, done, event{finished, group, batch})
	}
}

// Read notes that a group is about to be read. seen is called with the batch that was
// there, 0 for none; a read that failed tells nothing.
func (r *Recorder) Read(group int) (seen func(batch int)) {
	call := r.now()
	return func(batch int) { r.add(call, r.now(), event{read, group, batch}) }
}

// Reads counts those that were answered.
func (r *Recorder) Reads() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ops := range r.groups {
		for _, o := range ops {
			if o.Input.(event).kind == read {
				n++
			}
		}
	}
	return n
}

// group is what may be seen: the newest batch that is finished, and those that are begun.
type group struct {
	settled int
	open    string // numbers in ascending order, a space after each
}

func (g group) has(batch int) bool {
	return slices.Contains(strings.Fields(g.open), strconv.Itoa(batch))
}

func (g group) with(batch int) group {
	list := append(strings.Fields(g.open), strconv.Itoa(batch))
	slices.Sort(list)
	g.open = strings.Join(list, " ")
	return g
}

func (g group) without(batch int) group {
	list := slices.DeleteFunc(strings.Fields(g.open), func(s string) bool { return s == strconv.Itoa(batch) })
	g.open = strings.Join(list, " ")
	return g
}

// step tells whether an event may follow on a state.
func step(state, input, _ any) (bool, any) {
	g, e := state.(group), input.(event)
	switch e.kind {
	case begun:
		return true, g.with(e.batch)
	case finished:
		if !g.has(e.batch) {
			return false, g
		}
		g = g.without(e.batch)
		g.settled = e.batch
		return true, g
	}
	return e.batch == g.settled || g.has(e.batch), g
}

// Check returns an error for a group whose reads no order of events explains, or for one
// that could not be decided in time.
func (r *Recorder) Check(within time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	model := porcupine.Model{
		Init: func() any { return group{} }, Step: step,
		DescribeOperation: func(input, _ any) string { return describe(input.(event)) },
	}
	for number, ops := range r.groups {
		switch porcupine.CheckOperationsTimeout(model, ops, within) {
		case porcupine.Illegal:
			return fmt.Errorf("no order of events explains what was read of group %d:\n%s", number, list(ops))
		case porcupine.Unknown:
			return fmt.Errorf("group %d with %d events was not decided within %s", number, len(ops), within)
		}
	}
	return nil
}

func describe(e event) string {
	return fmt.Sprintf("%s %d", []string{"begun", "finished", "read"}[e.kind], e.batch)
}

// list shows events in the order in which they were asked for.
func list(ops []porcupine.Operation) string {
	ops = slices.Clone(ops)
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range ops {
		until := "never known"
		if o.Return < never {
			until = fmt.Sprintf("%.3f", float64(o.Return-ops[0].Call)/1e9)
		}
		fmt.Fprintf(&b, "  %.3f to %s s: %s\n", float64(o.Call-ops[0].Call)/1e9, until, describe(o.Input.(event)))
	}
	return b.String()
}
