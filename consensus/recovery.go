package consensus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/fsm"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
)

// RecoverConfig configures Recover.
type RecoverConfig struct {
	// Dir is the group's folder of a node that is not running. Recover changes it: pass a
	// copy.
	Dir string
	// NodeID is that node, which becomes the only member. If it is empty, the member called
	// Name is taken.
	NodeID wire.NodeID
	Name   string
	// Cluster is the id of the new cluster.
	Cluster string
	// At is the time of day, UnixNano.
	At     int64
	Logger *slog.Logger
	// OnFatal is called when the folder cannot be read; it should end the process.
	OnFatal func(error)
}

// Recovered describes the new cluster.
type Recovered struct {
	// Node is the only member.
	Node wire.NodeID
	// Catalog is the catalogue of the new cluster, after all entries of the log.
	Catalog *state.Catalog
	// From is the id of the old cluster.
	From string
	// Last is the newest entry in the node's log. Applied is the newest one that the node
	// knew to be committed. The entries between them count as committed from now on.
	Last, Applied uint64
	// Lost are the members that are not in the new cluster, by name.
	Lost []wire.Removal
	// Unfinished are the tasks that continue.
	Unfinished []*wire.Task
}

// nowhere is the network of a node that is not running.
func nowhere(*Group) raft.Transport { return &raft.InmemTransport{} }

// Recover makes a node that lost the majority of its cluster the only member of a new
// cluster with a new id. Everything in its log counts. The other members are out for good.
// What only other nodes had is lost.
func Recover(cfg *RecoverConfig) (done *Recovered, err error) {
	defer func() {
		if p := recover(); p != nil { // bbolt panics at a page that it did not write
			err = fmt.Errorf("the log cannot be read: %v", p)
		}
	}()
	full := Config{Dir: cfg.Dir, NodeID: cmp.Or(cfg.NodeID, "not known yet"), Logger: cfg.Logger, OnFatal: cfg.OnFatal, transport: nowhere}
	if err := full.defaults(); err != nil {
		return nil, err
	}
	logs, err := raftlog.Open(raftlog.Options{Dir: cfg.Dir, Check: entry.Check, OnFatal: cfg.OnFatal})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	snaps, err := state.OpenSnapshots(full.FS, full.path("snapshots"), full.Logger)
	if err != nil {
		return nil, err
	}
	f, err := fsm.Open(state.Stores{FS: full.FS, Dir: full.path("state"), Cache: full.CacheBytes, Log: full.Logger, Fatal: full.OnFatal}, snaps, full.Logger)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := &recovery{cfg: cfg, logs: logs, snaps: snaps, fsm: f}
	if err := r.replay(); err != nil {
		return nil, err
	}
	if r.out.Node, err = r.survivor(); err != nil {
		return nil, err
	}
	full.NodeID = r.out.Node
	if err := r.depart(); err != nil {
		return nil, err
	}
	if err := full.FS.Remove(full.path(fileForked)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	alone := raft.Configuration{Servers: []raft.Server{{Suffrage: raft.Voter, ID: raft.ServerID(r.out.Node), Address: raftlog.AddressOf(r.out.Node)}}}
	if err := raft.RecoverCluster(full.raft(1, full.Logger, nil), f, logs, logs.Stable, snaps, full.transport(nil), alone); err != nil {
		return nil, fmt.Errorf("make a cluster of one node: %w", err)
	}
	r.out.Catalog = f.Catalog.Load()
	if err := f.Failure(); err != nil {
		return nil, err
	}
	if got := r.out.Catalog.ClusterID(); got != cfg.Cluster {
		return nil, fmt.Errorf("the log did not take the new cluster's id: it is %q", got)
	}
	r.out.Unfinished = f.Pending()
	return &r.out, nil
}

// recovery is one run of Recover.
type recovery struct {
	cfg   *RecoverConfig
	logs  *raftlog.Store
	snaps *state.Snapshots
	fsm   *fsm.FSM
	out   Recovered

	index, term uint64                   // of the last entry
	members     map[wire.NodeID]struct{} // nodes that may believe that they vote
}

// replay applies the entries of the log that are newer than the state, and collects the
// members of all configurations on the way.
func (r *recovery) replay() error {
	r.members = map[wire.NodeID]struct{}{}
	metas, err := r.snaps.List()
	if err != nil {
		return err
	}
	if len(metas) > 0 {
		r.index, r.term = metas[0].Index, metas[0].Term
		r.note(metas[0].Configuration)
	}
	r.out.Applied = r.fsm.State.Figures.Applied
	first, err := r.logs.FirstIndex()
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	last, err := r.logs.LastIndex()
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	for at := first; at <= last && at > 0; at++ {
		var l raft.Log
		if err := r.logs.GetLog(at, &l); err != nil {
			return fmt.Errorf("read entry %d of the log: %w", at, err)
		}
		switch l.Type {
		case raft.LogConfiguration:
			r.note(raft.DecodeConfiguration(l.Data))
		case raft.LogCommand:
			if err, failed := r.fsm.Apply(&l).(error); failed {
				return fmt.Errorf("apply entry %d of the log: %w", at, err)
			}
		}
		r.index, r.term = l.Index, l.Term
	}
	r.out.From, r.out.Last = r.fsm.Catalog.Load().ClusterID(), r.index
	if r.index == 0 {
		return errors.New("the log is empty: this node was never let into a cluster")
	}
	return nil
}

func (r *recovery) note(c raft.Configuration) {
	for _, s := range c.Servers {
		r.members[wire.NodeID(s.ID)] = struct{}{}
	}
}

// ErrWhoseLog says that the log does not tell which of its members wrote it.
var ErrWhoseLog = errors.New("which member of its log this node was is not known")

// survivor is the member whose log this is.
func (r *recovery) survivor() (wire.NodeID, error) {
	c := r.fsm.Catalog.Load()
	if _, ok := c.Node(r.cfg.NodeID); ok {
		return r.cfg.NodeID, nil
	}
	var names []string
	var named wire.NodeID
	for _, n := range c.Nodes() {
		names = append(names, n.Name)
		if n.Name == r.cfg.Name {
			named = n.ID
		}
	}
	if r.cfg.Name != "" && named != "" {
		return named, nil
	}
	slices.Sort(names)
	return "", fmt.Errorf("%w: it tells of %s", ErrWhoseLog, strings.Join(names, ", "))
}

// depart appends the first entry of the new cluster: its id, and that all other members are
// out.
func (r *recovery) depart() error {
	c := r.fsm.Catalog.Load()
	names := map[wire.NodeID]string{}
	for _, n := range c.Nodes() {
		names[n.ID] = n.Name
		r.members[n.ID] = struct{}{}
	}
	var removed []wire.Removal
	if v, ok := c.Value(wire.ValueRemoved); ok {
		if err := json.Unmarshal(v.JSON, &removed); err != nil {
			return fmt.Errorf("read the removed nodes: %w", err)
		}
	}
	for _, one := range removed {
		delete(r.members, one.ID)
	}
	delete(r.members, r.out.Node)
	var changes []wire.Change
	for id := range r.members {
		r.out.Lost = append(r.out.Lost, wire.Removal{ID: id, Name: names[id], At: r.cfg.At, Lost: true})
	}
	slices.SortFunc(r.out.Lost, func(a, b wire.Removal) int {
		return strings.Compare(a.Name+"\n"+string(a.ID), b.Name+"\n"+string(b.ID))
	})
	for i := range r.out.Lost {
		changes = append(changes, wire.Change{DropNode: &r.out.Lost[i].ID})
	}
	list := append(removed, r.out.Lost...)
	struck, err := json.Marshal(list[max(0, len(list)-removalsKept):])
	if err != nil {
		return fmt.Errorf("encode the removed nodes: %w", err)
	}
	name, err := json.Marshal(r.cfg.Cluster)
	if err != nil {
		return fmt.Errorf("encode the cluster's id: %w", err)
	}
	changes = append(changes,
		wire.Change{PutValue: &wire.Value{Name: wire.ValueRemoved, JSON: struck}},
		wire.Change{PutValue: wire.VotesValue(1)},
		wire.Change{PutValue: &wire.Value{Name: wire.ValueCluster, JSON: name}})
	body, err := entry.Encode(&wire.Command{Update: &wire.Update{Changes: changes}}, c.Spoken())
	if err != nil {
		return err
	}
	// No other log may have the same entry in this position, so it gets a term of its own.
	r.index, r.term = r.index+1, r.term+1
	if err := r.logs.StoreLog(&raft.Log{Index: r.index, Term: r.term, Type: raft.LogCommand, Data: entry.Stamp(r.cfg.At, 0, body, false)}); err != nil {
		return fmt.Errorf("append to the log: %w", err)
	}
	return r.raiseTerm()
}

// raiseTerm makes the next election begin with a higher term than that of the last entry.
func (r *recovery) raiseTerm() error {
	key := []byte("CurrentTerm") // raft's name for it
	have, err := r.logs.Stable.GetUint64(key)
	if err != nil {
		return fmt.Errorf("read the term: %w", err)
	}
	if have >= r.term {
		return nil
	}
	if err := r.logs.Stable.SetUint64(key, r.term); err != nil {
		return fmt.Errorf("write the term: %w", err)
	}
	return nil
}

// VerifyLog reads the log and the state in dir, of a node that is not running. It returns
// what is damaged, one line each, and changes nothing. The error says that it could not be
// done.
func VerifyLog(ctx context.Context, dir string) (damage []string, bytes int64, err error) {
	faults, size, err := raftlog.Verify(ctx, filepath.Join(dir, "raft.db"), checkCommand)
	if err != nil {
		return nil, 0, err
	}
	s := state.Stores{FS: vfs.Default, Dir: filepath.Join(dir, "state"), Log: slog.New(slog.DiscardHandler), Fatal: func(error) {}}
	read, err := s.Verify(ctx)
	if err != nil && ctx.Err() == nil {
		faults, err = append(faults, "the state of the log: "+err.Error()), nil
	}
	return faults, size + read, err
}

// VerifyLog reads every entry of this node's log from the disk. It returns what is damaged,
// one line each, and how many entries were read. The state is checked by the function
// VerifyLog, when the node is not running.
func (g *Group) VerifyLog(ctx context.Context) (damage []string, read uint64, err error) {
	return g.logs.Verify(ctx, checkCommand)
}

func checkCommand(data []byte) error {
	_, _, err := entry.Decode(data)
	return err
}
