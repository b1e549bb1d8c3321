package powerloss

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Recording is what a program did to the files of a folder, in order. Safe for concurrent
// use.
type Recording struct {
	mu     sync.Mutex
	events []event
	root   *node
	nodes  []*node
	start  int // events before this one made the folder as it was found
}

// node is a file or folder. Its live side is what the running program sees.
type node struct {
	id      int
	folder  bool
	entries map[string]*node
	size    int64
	ops     []int // the events that change it
	syncs   []int // the events that make it durable
}

// kind is what an event does.
type kind byte

const (
	writes    kind = iota + 1 // data at an offset of a file
	cuts                      // sets the size of a file
	names                     // a name in a folder leads to a file or folder
	removes                   // a name in a folder is gone
	moves                     // a name moves, maybe into another folder
	syncs                     // a file's data, or a folder's names, are durable
	announces                 // the program told something that it must keep
)

// event is one thing that a program did.
type event struct {
	kind   kind
	on     *node // the file or the folder
	name   string
	target *node // what a name leads to
	to     *node // moves: the folder it moves to
	toName string
	off    int64 // the size, for cuts
	data   []byte
	upTo   int // syncs: events before this one had returned when it began
}

// newRecording begins with what a folder holds, all of it durable.
func newRecording(dir string) (*Recording, error) {
	r := &Recording{}
	r.root = r.node(true)
	if err := r.found(dir, r.root); err != nil {
		return nil, fmt.Errorf("the folder to record: %w", err)
	}
	for _, n := range r.nodes {
		r.add(event{kind: syncs, on: n, upTo: len(r.events)})
	}
	r.start = len(r.events)
	return r, nil
}

func (r *Recording) found(dir string, at *node) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		if e.Type()&^fs.ModeDir != 0 {
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		n := r.node(e.IsDir())
		r.add(event{kind: names, on: at, name: e.Name(), target: n})
		if e.IsDir() {
			if err := r.found(path, n); err != nil {
				return err
			}
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		r.add(event{kind: writes, on: n, data: content})
	}
	return nil
}

func (r *Recording) node(folder bool) *node {
	n := &node{id: len(r.nodes), folder: folder}
	if folder {
		n.entries = map[string]*node{}
	}
	r.nodes = append(r.nodes, n)
	return n
}

// add writes an event down and does it to the live side.
func (r *Recording) add(e event) {
	at := len(r.events)
	r.events = append(r.events, e)
	switch e.kind {
	case syncs:
		e.on.syncs = append(e.on.syncs, at)
		return
	case announces:
		return
	case writes:
		e.on.size = max(e.on.size, e.off+int64(len(e.data)))
	case cuts:
		e.on.size = e.off
	case names:
		e.on.entries[e.name] = e.target
	case removes:
		delete(e.on.entries, e.name)
	case moves:
		delete(e.on.entries, e.name)
		e.to.entries[e.toName] = e.target
		if e.to != e.on {
			e.to.ops = append(e.to.ops, at)
		}
	}
	e.on.ops = append(e.on.ops, at)
}

// Announce notes that the program has acknowledged something: it must be there after every
// later cut. To be called when the acknowledgement has arrived.
func (r *Recording) Announce(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(event{kind: announces, data: []byte(what)})
}

// Announced lists what had been acknowledged before the cut, in order.
func (r *Recording) Announced(before int) []string {
	var out []string
	for _, e := range r.events[:before] {
		if e.kind == announces {
			out = append(out, string(e.data))
		}
	}
	return out
}

// Moments are the positions at which the power can fail: before the first event of the
// program, between any two, and after the last. Boundaries are those right before and right
// after a sync.
func (r *Recording) Moments() (first, last int, boundaries []int) {
	for i := r.start; i < len(r.events); i++ {
		if r.events[i].kind == syncs {
			boundaries = append(boundaries, i, i+1)
		}
	}
	return r.start, len(r.events), boundaries
}

// Counts tells how many writes and syncs there are.
func (r *Recording) Counts() (written, synced int) {
	for _, e := range r.events[r.start:] {
		switch e.kind {
		case writes:
			written++
		case syncs:
			synced++
		}
	}
	return written, synced
}

// Story tells what the program did last before a moment, a line each.
func (r *Recording) Story(before, lines int) string {
	var b strings.Builder
	paths := r.paths()
	for i := max(r.start, before-lines); i < before; i++ {
		e := r.events[i]
		fmt.Fprintf(&b, "%d: ", i)
		switch e.kind {
		case announces:
			fmt.Fprintf(&b, "acknowledges %q", e.data)
		case writes:
			fmt.Fprintf(&b, "writes %d bytes at %d of %s", len(e.data), e.off, paths[e.on])
		case cuts:
			fmt.Fprintf(&b, "sets the size of %s to %d", paths[e.on], e.off)
		case names:
			fmt.Fprintf(&b, "makes %s in %s", e.name, paths[e.on])
		case removes:
			fmt.Fprintf(&b, "removes %s from %s", e.name, paths[e.on])
		case moves:
			fmt.Fprintf(&b, "moves %s in %s to %s in %s", e.name, paths[e.on], e.toName, paths[e.to])
		case syncs:
			fmt.Fprintf(&b, "syncs %s", paths[e.on])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// paths are the paths that files and folders had last.
func (r *Recording) paths() map[*node]string {
	out := map[*node]string{r.root: "."}
	for _, e := range r.events {
		switch e.kind {
		case names:
			out[e.target] = filepath.Join(out[e.on], e.name)
		case moves:
			out[e.target] = filepath.Join(out[e.to], e.toName)
		}
	}
	return out
}
