package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/life"
)

// options say what a run does.
type options struct {
	binary, dir  string
	against      string // an older program, "" = none
	shapes       string
	ops, base    int
	seed         uint64
	restartEvery int
	moveEvery    int
	differences  int
	hold         bool
	trace        io.Writer // gets every request, nil = none
	out          io.Writer
}

func (o *options) command() string {
	text := fmt.Sprintf("go run -tags hashicorpmetrics,grpcnotrace ./cluster-test/twins -seed %d -ops %d -shapes %s -base %d -restart-every %d -move-every %d",
		o.seed, o.ops, o.shapes, o.base, o.restartEvery, o.moveEvery)
	if o.against != "" {
		text += " -against " + o.against
	}
	return text
}

// lab is one run: the clusters that must answer alike. The first is the measure.
type lab struct {
	options
	twins []*twin
	world *life.World
	dice  *rand.Rand // restarts and which node is asked; requests have their own
	start time.Time
	found int // differences
	moved int // changes of shards and copies
	count map[string]int
	full  map[string]*share // by what was asked
}

// share is how many of the answers that list something were not empty: a run whose
// searches find nothing compares nothing.
type share struct{ full, all int }

// twin is one cluster.
type twin struct {
	name   string
	c      *clustertest.Cluster
	shards int // of a new index
	ask    int // the node that is asked next
}

type answer struct {
	status int
	body   []byte
}

func newLab(o options) (*lab, error) {
	l := &lab{options: o, world: life.New(o.seed), dice: rand.New(rand.NewPCG(o.seed, 2)), start: time.Now(), count: map[string]int{}, full: map[string]*share{}}
	l.world.Additions = true
	for shape := range strings.SplitSeq(o.shapes, ",") {
		var nodes, shards int
		if n, err := fmt.Sscanf(shape, "%dx%d", &nodes, &shards); err != nil || n != 2 || nodes < 1 || shards < 1 {
			return nil, fmt.Errorf("shape %q: want NODESxSHARDS, such as 3x3", shape)
		}
		if err := l.add(shape, o.binary, nodes, shards); err != nil {
			return nil, err
		}
	}
	if o.against != "" {
		if err := l.add("before", o.against, 1, 1); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add makes a cluster, which does not run yet.
func (l *lab) add(name, binary string, nodes, shards int) error {
	dir := filepath.Join(l.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	c, err := clustertest.New(binary, dir, nodes, fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", shards))
	if err != nil {
		return err
	}
	l.twins = append(l.twins, &twin{name: name, c: c, shards: shards})
	return nil
}

func (l *lab) close() {
	for _, t := range l.twins {
		t.c.Close()
	}
}

func (l *lab) say(format string, a ...any) {
	fmt.Fprintf(l.out, "%7.1fs  %s\n", time.Since(l.start).Seconds(), fmt.Sprintf(format, a...))
}

// run sends the whole stream.
func (l *lab) run(ctx context.Context) error {
	l.say("%s", l.command())
	for _, t := range l.twins {
		if err := t.c.Start(ctx); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if err := l.all(ctx, l.world.Found(l.base)); err != nil {
		return err
	}
	nextRestart, nextMove := l.restartEvery, l.moveEvery
	for done := 0; done < l.ops; {
		batch := l.world.Next()
		if err := l.all(ctx, batch); err != nil {
			return err
		}
		done += len(batch)
		if l.restartEvery > 0 && done >= nextRestart && done < l.ops {
			nextRestart += l.restartEvery
			if err := l.restart(ctx); err != nil {
				return err
			}
		}
		if l.moveEvery > 0 && done >= nextMove {
			nextMove += l.moveEvery
			if err := l.move(ctx); err != nil {
				return err
			}
		}
		if done/1000 != (done-len(batch))/1000 {
			l.say("%d requests", done)
		}
	}
	if err := l.all(ctx, l.world.Closing()); err != nil {
		return err
	}
	if err := l.expire(ctx); err != nil {
		return err
	}
	l.say("no difference but %d, %d changes of shards and copies: %v", l.found, l.moved, l.count)
	for _, kind := range slices.Sorted(maps.Keys(l.full)) {
		s := l.full[kind]
		l.say("%5d of %5d answers to %-12s list something (%d %%)", s.full, s.all, kind, 100*s.full/s.all)
	}
	if l.moveEvery > 0 && l.ops > l.moveEvery && l.moved == 0 {
		return errors.New("no shards were moved: nothing was compared while they are")
	}
	if l.found > 0 {
		return fmt.Errorf("%d differences", l.found)
	}
	return nil
}

// all sends requests to every twin at once and compares their answers, and the
// tasks that the writes among them became.
func (l *lab) all(ctx context.Context, batch []life.Request) error {
	for _, t := range l.twins {
		t.ask = l.dice.IntN(len(t.c.Nodes))
	}
	if l.trace != nil {
		for i := range batch {
			fmt.Fprintln(l.trace, &batch[i])
		}
	}
	answers := make([][]answer, len(l.twins))
	errs := make([]error, len(l.twins))
	var wg sync.WaitGroup
	for i, t := range l.twins {
		wg.Go(func() { answers[i], errs[i] = t.send(ctx, batch) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for k := range batch {
		l.tally(answers[0][k])
		l.weigh(&batch[k], answers[0][k])
		for i := 1; i < len(l.twins); i++ {
			if answers[i][k].status == answers[0][k].status && bytes.Equal(answers[i][k].body, answers[0][k].body) {
				continue
			}
			if err := l.differ(ctx, &batch[k], answers[0][k], answers[i][k], l.twins[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire has documents expire on every twin and compares what is left. It comes last, because the
// tasks that delete them come at another time on each.
func (l *lab) expire(ctx context.Context) error {
	if err := l.all(ctx, l.world.Expiring()); err != nil {
		return err
	}
	left := life.Expired()
	for _, t := range l.twins {
		for end := time.Now().Add(time.Minute); ; {
			a, err := ask(ctx, t.c.Nodes[0], &left)
			if err != nil {
				return err
			}
			if a.status == http.StatusOK && nothing.Match(a.body) {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("%s: documents do not expire: %d %s", t.name, a.status, a.body)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	l.say("documents have expired")
	return l.all(ctx, life.Everything())
}

var code = regexp.MustCompile(`"code":"([a-z_]+)"`)

// tally counts an answer by its status or error.
func (l *lab) tally(a answer) {
	kind := fmt.Sprint(a.status)
	if m := code.FindSubmatch(a.body); m != nil {
		kind += " " + string(m[1])
	}
	l.count[kind]++
}

var listing = regexp.MustCompile(`/(search|multi-search|facet-search|similar|documents|fetch|tasks)(\?|$)`)

var nothing = regexp.MustCompile(`"(hits|results|facetHits)":\[\]`)

// weigh notes whether an answer lists anything.
func (l *lab) weigh(r *life.Request, a answer) {
	m := listing.FindStringSubmatch(r.Path)
	if m == nil || r.Write || a.status != http.StatusOK {
		return
	}
	kind := m[1]
	if body, ok := r.Body.(json.RawMessage); ok && bytes.Contains(body, []byte(`"vector":`)) {
		kind += " by vector"
	}
	s := l.full[kind]
	if s == nil {
		s = new(share)
		l.full[kind] = s
	}
	s.all++
	if !nothing.Match(a.body) {
		s.full++
	}
}

// differ reports a difference; an error ends the run.
func (l *lab) differ(ctx context.Context, r *life.Request, want, got answer, t *twin) error {
	l.found++
	at := 0
	for at < min(len(want.body), len(got.body)) && want.body[at] == got.body[at] {
		at++
	}
	from := max(0, at-300)
	cut := func(b []byte) []byte { return b[min(from, len(b)):min(len(b), at+300)] }
	l.say("DIFFERENCE %d after %v on %s (asked %s)\n%.3000s\n--- %s, %d, from byte %d\n%s\n--- %s, %d\n%s\nrepeat with: %s",
		l.found, l.count, t.name, t.c.Nodes[t.ask].Name, r, l.twins[0].name, want.status, from, cut(want.body), t.name, got.status, cut(got.body), l.command())
	if l.found < l.differences {
		return nil
	}
	if l.hold {
		for _, t := range l.twins {
			for _, n := range t.c.Nodes {
				l.say("%s %s serves on http://%s", t.name, n.Name, n.HTTP)
			}
		}
		<-ctx.Done()
	}
	return errors.New("the answers differ; repeat with: " + l.command())
}

// restart ends nodes, politely or not, and starts them again.
func (l *lab) restart(ctx context.Context) error {
	how := "ended"
	end := (*clustertest.Node).Stop
	if l.dice.IntN(2) == 0 {
		how, end = "killed", (*clustertest.Node).Kill
	}
	every := l.dice.IntN(3) == 0
	for _, t := range l.twins {
		nodes := t.c.Nodes
		if !every {
			k := l.dice.IntN(len(nodes))
			nodes = nodes[k : k+1]
		}
		for _, n := range nodes {
			end(n)
		}
		for _, n := range nodes {
			if err := n.Start(t.c); err != nil {
				return err
			}
		}
		for _, n := range t.c.Nodes {
			if err := n.Ready(ctx); err != nil {
				return fmt.Errorf("%s after a restart: %w", t.name, err)
			}
		}
		l.say("%s: %d of %d nodes were %s and started again", t.name, len(nodes), len(t.c.Nodes), how)
	}
	return nil
}

// send runs requests one after the other, then waits for the tasks. A task's
// record becomes the answer of its write.
func (t *twin) send(ctx context.Context, batch []life.Request) ([]answer, error) {
	n := t.c.Nodes[t.ask]
	out := make([]answer, len(batch))
	uids := make([]int64, len(batch))
	for i := range batch {
		r := &batch[i]
		a, err := ask(ctx, n, r)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %s: %w", t.name, n.Name, r, err)
		}
		out[i], uids[i] = a, -1
		if r.Together {
			out[i].body = deleted.ReplaceAll(a.body, nil)
		}
		if r.Write && a.status == http.StatusAccepted {
			var s struct {
				TaskUID int64 `json:"taskUid"`
			}
			if err := json.Unmarshal(a.body, &s); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", t.name, a.body, err)
			}
			uids[i] = s.TaskUID
		}
	}
	for i, uid := range uids {
		if uid < 0 {
			continue
		}
		end, err := t.settled(ctx, n, uid)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %s: %w", t.name, n.Name, &batch[i], err)
		}
		if batch[i].Together {
			end = deleted.ReplaceAll(end, nil)
		}
		out[i].body = append(append(out[i].body, '\n'), end...)
	}
	return out, nil
}

// ask repeats a request that is refused for the moment, since right after a restart a
// replica may still be on its way, and a search that may have been cut off.
func ask(ctx context.Context, n *clustertest.Node, r *life.Request) (answer, error) {
	end := time.Now().Add(20 * time.Second)
	for {
		status, b, err := n.Do(ctx, r.Method, r.Path, r.Body)
		if err != nil {
			return answer{}, err
		}
		again := status == http.StatusServiceUnavailable || !r.Write && clustertest.CutOff(b)
		if !again || time.Now().After(end) {
			return answer{status, mask(b)}, nil
		}
		select {
		case <-ctx.Done():
			return answer{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// settled polls a task until it is finished and returns its masked record.
func (t *twin) settled(ctx context.Context, n *clustertest.Node, uid int64) ([]byte, error) {
	end := time.Now().Add(time.Minute)
	for {
		status, b, err := n.Do(ctx, "GET", fmt.Sprintf("/tasks/%d", uid), nil)
		if err != nil {
			return nil, err
		}
		var s struct {
			Status string `json:"status"`
		}
		if status == http.StatusOK {
			if err := json.Unmarshal(b, &s); err != nil {
				return nil, fmt.Errorf("task %d: %s: %w", uid, b, err)
			}
		}
		switch s.Status {
		case "succeeded", "failed", "canceled":
			return mask(b), nil
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("task %d does not end: %d %s", uid, status, b)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// How tasks are batched and what they take on disk may differ.
var figures = regexp.MustCompile(`"(batchUid|databaseSize|usedDatabaseSize|rawDocumentDbSize|avgDocumentSize|lastUpdate)":("[^"]*"|[0-9]+|null)`)

// deleted is followed by another member or ends its object.
var deleted = regexp.MustCompile(`,?"deletedDocuments":[0-9]+,?`)

func mask(b []byte) []byte { return figures.ReplaceAll(clustertest.Mask(b), []byte(`"$1":0`)) }
