package powerloss

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"

	"shoal/consensus/raftlog"
)

// content is what a log is to hold: entries without a gap, and what raft keeps beside them.
type content struct {
	first   uint64 // of entries
	entries []*raft.Log
	stable  map[string]uint64
}

// step is something that raft does to its log.
type step struct {
	do   func(s *raftlog.Store) error
	then func(c *content)
	// again: the log is closed and opened again.
	again bool
}

// script is the life of a log: appends of all sizes, conflicts that take entries back,
// compactions, terms and votes, and now and then a restart.
func script(seed uint64, length int) []step {
	r := rand.New(rand.NewPCG(seed, 1))
	next, first, term := uint64(1), uint64(1), uint64(1)
	steps := make([]step, 0, length)
	for len(steps) < length {
		switch d := r.IntN(100); {
		case d < 60:
			var logs []*raft.Log
			for range 1 + r.IntN(8) {
				size := r.IntN(2000)
				if r.IntN(10) == 0 {
					size = r.IntN(60_000)
				}
				data := make([]byte, size)
				for i := range data {
					data[i] = byte(r.Uint32())
				}
				logs = append(logs, &raft.Log{Index: next, Term: term, Type: raft.LogCommand, Data: data})
				next++
			}
			steps = append(steps, step{
				do:   func(s *raftlog.Store) error { return s.StoreLogs(logs) },
				then: func(c *content) { c.entries = append(c.entries, logs...) },
			})
		case d < 75:
			term++
			steps = append(steps, set("CurrentTerm", term), set("LastVoteTerm", term))
		case d < 85 && next-first > 10: // a new leader takes the last entries back
			from := next - 1 - r.Uint64N(5)
			last := next - 1
			steps = append(steps, step{
				do:   func(s *raftlog.Store) error { return s.DeleteRange(from, last) },
				then: func(c *content) { c.entries = c.entries[:from-c.first] },
			})
			next = from
		case d < 95 && next-first > 40: // a snapshot takes the place of the first ones
			from, last := first, first+r.Uint64N(30)
			steps = append(steps, step{
				do:   func(s *raftlog.Store) error { return s.DeleteRange(from, last) },
				then: func(c *content) { c.entries, c.first = c.entries[last+1-c.first:], last+1 },
			})
			first = last + 1
		case d >= 95:
			steps = append(steps, step{again: true, then: func(*content) {}})
		}
	}
	return steps
}

func set(key string, value uint64) step {
	return step{
		do:   func(s *raftlog.Store) error { return s.Stable.SetUint64([]byte(key), value) },
		then: func(c *content) { c.stable[key] = value },
	}
}

// runScript does the steps in a folder, and announces each of them when it is done.
func runScript(dir string, steps []step) error {
	announce := os.NewFile(announceFD, "announcements")
	tell := func(format string, a ...any) error {
		_, err := fmt.Fprintf(announce, format, a...)
		return err
	}
	fatal := func(err error) { fmt.Fprintln(os.Stderr, "given up:", err) }
	s, err := raftlog.Open(raftlog.Options{Dir: dir, OnFatal: fatal})
	if err != nil {
		return err
	}
	if err := tell("opened"); err != nil {
		return err
	}
	for i, step := range steps {
		if step.again {
			if err := s.Close(); err != nil {
				return err
			}
			if s, err = raftlog.Open(raftlog.Options{Dir: dir, OnFatal: fatal}); err != nil {
				return err
			}
		} else if err := step.do(s); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := tell("done %d", i); err != nil {
			return err
		}
	}
	return s.Close()
}

// after is what the log holds after so many steps.
func after(steps []step, done int) *content {
	c := &content{first: 1, stable: map[string]uint64{}}
	for _, s := range steps[:done] {
		s.then(c)
	}
	return c
}

// read reads what a log holds.
func read(s *raftlog.Store) (c *content, err error) {
	c = &content{stable: map[string]uint64{}}
	if c.first, err = s.FirstIndex(); err != nil {
		return nil, err
	}
	last, err := s.LastIndex()
	if err != nil {
		return nil, err
	}
	for i := max(c.first, 1); i <= last; i++ {
		l := new(raft.Log)
		if err := s.GetLog(i, l); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		c.entries = append(c.entries, l)
	}
	for _, key := range []string{"CurrentTerm", "LastVoteTerm"} {
		value, err := s.Stable.GetUint64([]byte(key))
		if err == nil {
			c.stable[key] = value
		} else if !errors.Is(err, raftboltdb.ErrKeyNotFound) {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return c, nil
}

// differs says how what is there differs from what should be; "" when it does not.
func (c *content) differs(want *content) string {
	if len(c.entries) != len(want.entries) {
		return fmt.Sprintf("it holds %d entries from %d on instead of %d from %d on", len(c.entries), c.first, len(want.entries), want.first)
	}
	for i, l := range c.entries {
		w := want.entries[i]
		if l.Index != w.Index || l.Term != w.Term || l.Type != w.Type || !bytes.Equal(l.Data, w.Data) {
			return fmt.Sprintf("entry %d is another one", w.Index)
		}
	}
	if !maps.Equal(c.stable, want.stable) {
		return fmt.Sprintf("term and vote are %v instead of %v", c.stable, want.stable)
	}
	return ""
}

// checkLog opens the log that a cut has left. The state after the last acknowledged step is
// right, and that after the one that was under way. It returns what is wrong, "" if nothing.
func checkLog(dir string, steps []step, announced []string) (wrong string) {
	done := 0
	for _, a := range announced {
		if n, ok := strings.CutPrefix(a, "done "); ok {
			i, err := strconv.Atoi(n)
			if err != nil {
				return err.Error()
			}
			done = i + 1
		}
	}
	var given []error
	s, err := raftlog.Open(raftlog.Options{Dir: dir, OnFatal: func(err error) { given = append(given, err) }})
	if err != nil {
		return "it does not open: " + err.Error()
	}
	c, err := read(s)
	if err = errors.Join(append(given, err, s.Close())...); err != nil {
		return "it opens and cannot be read: " + err.Error()
	}
	wrong = c.differs(after(steps, done))
	if wrong != "" && done < len(steps) && c.differs(after(steps, done+1)) == "" {
		wrong = ""
	}
	if wrong != "" {
		return fmt.Sprintf("after %d acknowledged steps %s", done, wrong)
	}
	return ""
}

// recordLog runs a script as a child and records it.
func recordLog(t *testing.T, seed uint64, length int) *Recording {
	t.Helper()
	return record(t, "raftlog", filepath.Join(t.TempDir(), "recorded"), fmt.Sprint(seed), fmt.Sprint(length))
}

// TestTheLogKeepsWhatItAcknowledgedWhenThePowerFails cuts the power of the real log, in
// the folder of a node whose name is durable.
func TestTheLogKeepsWhatItAcknowledgedWhenThePowerFails(t *testing.T) {
	lives := 2 + *cutCount/1000
	for life := range lives {
		s := *seed + uint64(life)
		const length = 120
		steps := script(s, length)
		rec := recordLog(t, s, length)
		written, synced := rec.Counts()
		t.Logf("seed %d: %d writes, %d syncs, %d steps", s, written, synced, len(steps))
		plan(rec, s, max(*cutCount, 300)/lives, func(c Cut) bool {
			wrong := checkCut(t, rec, c, func(dir string, announced []string) string {
				return checkLog(filepath.Join(dir, "raft"), steps, announced)
			})
			if wrong != "" {
				t.Errorf("seed %d, %v: %s\n%s", s, c, wrong, rec.Story(c.At, 30))
			}
			return !t.Failed()
		})
	}
}

// TestADiskThatLiesAboutSyncsIsFound: without it the test above could pass by looking at
// nothing. The first syncs are kept, which make the file and its name.
func TestADiskThatLiesAboutSyncsIsFound(t *testing.T) {
	const length, honest = 120, 20
	steps := script(1, length)
	rec := recordLog(t, 1, length)
	for name, lies := range map[string]func(int) bool{
		"no sync does anything":            func(int) bool { return true },
		"one sync in 30 does nothing":      func(n int) bool { return n%30 == 29 },
		"no sync before the meta page":     func(n int) bool { return n%2 == 0 },
		"no sync of the meta page does so": func(n int) bool { return n%2 == 1 },
	} {
		found, tried := "", 0
		plan(rec, 1, 2000, func(c Cut) bool {
			c.Lies = func(n int) bool { return n >= honest && lies(n) }
			tried++
			wrong := checkCut(t, rec, c, func(dir string, announced []string) string {
				return checkLog(filepath.Join(dir, "raft"), steps, announced)
			})
			if wrong != "" {
				found = fmt.Sprintf("%v: %s", c, wrong)
			}
			return found == ""
		})
		if found == "" {
			t.Errorf("%s, and nothing is missing after %d cuts", name, tried)
		} else {
			t.Logf("%s, found by cut %d: %s", name, tried, found)
		}
	}
}

// child runs what a test records, when this process was started for it.
func child(args []string) error {
	switch what, dir := args[0], args[1]; what {
	case "raftlog":
		seed, err := strconv.ParseUint(args[2], 10, 64)
		if err != nil {
			return err
		}
		length, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return runScript(filepath.Join(dir, "raft"), script(seed, length))
	default:
		return fmt.Errorf("nothing is called %q", what)
	}
}

// plan calls f with cuts until it returns false: at every boundary of a sync or as many of
// them as fit, then at random moments, half of them close to the end of a sync.
func plan(rec *Recording, seed uint64, count int, f func(Cut) bool) {
	r := rand.New(rand.NewPCG(seed, 2))
	first, last, boundaries := rec.Moments()
	moments := slices.Clone(boundaries)
	if len(moments) > count/2 {
		r.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
		moments = moments[:count/2]
	}
	for len(moments) < count {
		moments = append(moments, first+r.IntN(last-first+1))
	}
	for i, at := range moments {
		if !f(Cut{At: at, Keep: Keep(i % 4), Seed: r.Uint64()}) {
			return
		}
	}
}
