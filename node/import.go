package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"shoal/consensus"
	"shoal/coordinator"
	"shoal/coordinator/backup/dump"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/backup/snapshot"
	"shoal/node/config"
	"shoal/node/folder"
)

// leaderWithin is how long a node with an import waits to learn who leads. Without a list
// of first members only the leader imports.
const leaderWithin = 30 * time.Second

// importing is the import of a dump or a snapshot by a start: planned before the data folder
// is opened, run before clients are served.
type importing struct {
	*process
	dump, snapshot bool // this start imports one
	source         snapshot.Source
	half           bool // an earlier start was cut off during its import
	elsewhere      bool // another node imports it
	// useless is the data folder if the import into it failed. It is removed once nothing
	// writes to it any more.
	useless string
}

// plan decides, before the data folder is opened, whether this start imports a dump or a
// snapshot.
func (i *importing) plan(ctx context.Context) (err error) {
	c := &i.cfg
	there := func(file string) error {
		_, err := os.Stat(file)
		return err
	}
	find := func(text string) (err error) {
		i.source, err = c.Storage.Find(ctx, text)
		return err
	}
	if i.half, err = folder.MarkedImport(i.on.Files, c.DBPath); err != nil {
		return err
	}
	what := source(c)
	if done, err := folder.Imported(i.on.Files, c.DBPath, what); err != nil || done {
		if done {
			i.log.Info("nothing is imported: this data folder was made from it", "from", strings.SplitN(what, "\n", 2)[0])
		}
		return err
	}
	if i.dump, err = restore.StartImport("dump", c.ImportDump, c.DBPath, i.half, c.IgnoreMissingDump, c.IgnoreDumpIfDB, there); err != nil {
		return err
	}
	i.snapshot, err = restore.StartImport("snapshot", c.ImportSnapshot, c.DBPath, i.half, c.IgnoreMissingSnap, c.IgnoreSnapIfDB, find)
	if err != nil || !i.dump && !i.snapshot {
		return err
	}
	return folder.MarkImport(i.on.Files, c.DBPath, what)
}

// source names the file that a start imports, "" for none. The command line may stay the
// same for every start: a file that the data folder was made from is not imported again,
// even if it has disappeared since. A changed file counts as another one.
func source(c *config.Config) string {
	switch {
	case c.ImportDump != "":
		what := "dump " + c.ImportDump
		if info, err := os.Stat(c.ImportDump); err == nil {
			what += fmt.Sprintf("\n%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
		}
		return what
	case c.ImportSnapshot != "":
		return "snapshot " + c.ImportSnapshot
	}
	return ""
}

// settle decides whether this node reads the file that the plan found. joins: the cluster
// existed before this node.
func (i *importing) settle(ctx context.Context, joins bool, m *member) error {
	if joins && (i.dump || i.snapshot) {
		i.log.Info("nothing is imported: the cluster existed before this node")
		i.dump, i.snapshot = false, false
		return folder.EndImport(i.on.Files, i.folder.Path)
	}
	if !i.dump && !i.snapshot {
		if i.half {
			i.log.With("component", "backup").Warn("a dump or snapshot was half read in when this node stopped; if it answers 503, start the node that read it with the same --import-dump or --import-snapshot again")
			i.run(func(ctx context.Context) { i.unmark(ctx, m.group) })
		}
		return nil
	}
	m.clients.Await("a dump or snapshot is read in")
	mine, err := i.mine(ctx, m.group)
	if err != nil {
		return err
	}
	if i.elsewhere = !mine; i.elsewhere {
		i.run(func(ctx context.Context) { i.unmark(ctx, m.group) })
	}
	return nil
}

// load runs the import, before clients are served. A failed import is undone and ends the
// start. A folder that was new is then removed, so that the next start begins anew.
func (i *importing) load(ctx context.Context, w *work) (err error) {
	log := i.log.With("component", "backup")
	switch {
	case i.elsewhere:
		return nil
	case i.dump:
		err = dump.Import(ctx, i.cfg.ImportDump, dump.ImportConfig{Log: w.raft, Writer: w.writer, Placement: w.placement, Progress: log})
	case i.snapshot:
		err = snapshot.Restore(ctx, i.source, w.restoring(log))
	default:
		return nil
	}
	if i.half && errors.Is(err, restore.ErrNotEmpty) && coordinator.Importing(w.raft.Catalog()) == coordinator.ImportDone {
		log.Info("the import had ended when this node stopped")
		err = nil
	}
	if err == nil {
		return folder.EndImport(i.on.Files, i.folder.Path)
	}
	if len(i.cfg.InitMembers) == 0 {
		i.useless = i.folder.Path
	}
	return fmt.Errorf("import into %s: %w", i.folder.Path, err)
}

// clear removes the data folder if the import into it failed.
func (i *importing) clear() error {
	if i.useless == "" {
		return nil
	}
	if err := i.on.Files.RemoveAll(i.useless); err != nil {
		return fmt.Errorf("remove the failed import: %w", err)
	}
	return nil
}

// mine tells whether this node reads the file. Among the first members of a new cluster
// it is the one with the least name: all members know it, and leadership may change while
// they start. Otherwise it is the leader.
func (i *importing) mine(ctx context.Context, group *consensus.Group) (bool, error) {
	if len(i.cfg.InitMembers) == 0 {
		return i.awaitLeader(ctx, group)
	}
	first, _, _ := strings.Cut(slices.Min(i.cfg.InitMembers), "=")
	if first != i.cfg.Name {
		i.log.Info("another first member imports", "name", first)
	}
	return first == i.cfg.Name, nil
}

// awaitLeader waits until a node leads and tells whether it is this one.
func (i *importing) awaitLeader(ctx context.Context, group *consensus.Group) (leads bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaderWithin)
	defer cancel()
	for {
		changed := group.LeadershipChanged()
		if _, ok := group.Leading(); ok {
			return true, nil
		}
		if id, ok := group.Leader(); ok && id != i.folder.ID {
			i.log.Info("another node leads and imports", "leader", id)
			return false, nil
		}
		select {
		case <-changed:
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return false, errors.New("no leader was found, so nothing was imported: start the other members too")
		}
	}
}

// unmark waits until the importing node has finished.
func (i *importing) unmark(ctx context.Context, group *consensus.Group) {
	for coordinator.Importing(group.Catalog()) != coordinator.ImportDone {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	if err := folder.EndImport(i.on.Files, i.folder.Path); err != nil {
		i.log.Warn("the import has ended, but its mark stays", "error", err)
	}
}
