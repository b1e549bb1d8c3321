package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/dump"
	"shoal/coordinator/backup/export"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/backup/snapshot"
	"shoal/coordinator/schedule"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/link"
)

// leaderWithin is how long a node with an import waits to learn who leads. Without a list
// of first members only the leader imports.
const leaderWithin = 30 * time.Second

// planImport decides, before the data folder is opened, whether this start imports a dump
// or a snapshot.
func (n *Node) planImport(ctx context.Context) (err error) {
	c := &n.cfg
	there := func(file string) error {
		_, err := os.Stat(file)
		return err
	}
	find := func(text string) (err error) {
		n.snapshot, err = c.Storage.Find(ctx, text)
		return err
	}
	if n.halfImport, err = folder.MarkedImport(n.on.Files, c.DBPath); err != nil {
		return err
	}
	what := source(c)
	if done, err := folder.Imported(n.on.Files, c.DBPath, what); err != nil || done {
		if done {
			n.log.Info("nothing is imported: this data folder was made from it", "from", strings.SplitN(what, "\n", 2)[0])
		}
		return err
	}
	if n.importDump, err = restore.StartImport("dump", c.ImportDump, c.DBPath, n.halfImport, c.IgnoreMissingDump, c.IgnoreDumpIfDB, there); err != nil {
		return err
	}
	n.importSnapshot, err = restore.StartImport("snapshot", c.ImportSnapshot, c.DBPath, n.halfImport, c.IgnoreMissingSnap, c.IgnoreSnapIfDB, find)
	if err != nil || !n.importDump && !n.importSnapshot {
		return err
	}
	return folder.MarkImport(n.on.Files, c.DBPath, what)
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

// jobs runs the tasks that concern more than the documents of shards.
func (n *Node) jobs(w *work) schedule.Jobs {
	log := n.log.With("component", "backup")
	dumper := dump.NewDumper(dump.DumperConfig{Log: w.log, Documents: w.documents, Blobs: n.blobs, Dir: n.cfg.DumpDir, Progress: log})
	exporter := export.New(export.Config{
		Catalog: w.log.Catalog, Documents: w.documents, Features: w.features.Features, Out: w.outbound, PayloadLimit: n.cfg.PayloadLimit, Progress: log,
	})
	w.taker = snapshot.NewTaker(snapshot.Config{
		Log: w.log, Blobs: n.blobs, Shards: link.Copies{Shards: w.shards}, Self: n.self.ID, Progress: log,
		Path:       filepath.Join(n.cfg.SnapshotDir, filepath.Base(n.cfg.DBPath)+".snapshot"),
		Repository: n.repository, Keep: n.cfg.Keep, Taken: n.metrics.Backup.Taken,
	})
	return schedule.Jobs{
		Rules: admin.ApplyRules, Compact: w.shards.Compact, Dump: dumper.Dump, Export: exporter.Export, Snapshot: w.taker.Snapshot,
	}
}

// planReading decides whether this node reads the file that planImport found.
func (n *Node) planReading(ctx context.Context) error {
	if n.joins && (n.importDump || n.importSnapshot) {
		n.log.Info("nothing is imported: the cluster existed before this node")
		n.importDump, n.importSnapshot = false, false
		return folder.EndImport(n.on.Files, n.folder.Path)
	}
	if !n.importDump && !n.importSnapshot {
		if n.halfImport {
			n.log.With("component", "backup").Warn("a dump or snapshot was half read in when this node stopped; if it answers 503, start the node that read it with the same --import-dump or --import-snapshot again")
			n.run(n.unmarkAfterImport)
		}
		return nil
	}
	n.awaits("a dump or snapshot is read in")
	mine, err := n.imports(ctx)
	if err != nil {
		return err
	}
	if n.awaitsImport = !mine; n.awaitsImport {
		n.run(n.unmarkAfterImport)
	}
	return nil
}

// load runs the import, before clients are served. A failed import is undone and ends the
// start. A folder that was new is then removed, so that the next start begins anew.
func (n *Node) load(ctx context.Context) (err error) {
	log := n.log.With("component", "backup")
	switch {
	case n.awaitsImport:
		return nil
	case n.importDump:
		err = dump.Import(ctx, n.cfg.ImportDump, dump.ImportConfig{Log: n.work.log, Writer: n.work.writer, Placement: n.work.placement, Progress: log})
	case n.importSnapshot:
		err = snapshot.Restore(ctx, n.snapshot, snapshot.RestoreConfig{
			Log: n.work.log, Blobs: n.blobs, Shards: link.Copies{Shards: n.work.shards}, Placement: n.work.placement, Alive: n.alive, Dictionaries: n.dictionaries, Dir: n.scratch(), Progress: log,
		})
	default:
		return nil
	}
	if n.halfImport && errors.Is(err, restore.ErrNotEmpty) && coordinator.Importing(n.work.log.Catalog()) == coordinator.ImportDone {
		log.Info("the import had ended when this node stopped")
		err = nil
	}
	if err == nil {
		return folder.EndImport(n.on.Files, n.folder.Path)
	}
	if len(n.cfg.InitMembers) == 0 {
		n.useless = n.folder.Path
	}
	return fmt.Errorf("import into %s: %w", n.folder.Path, err)
}

// imports tells whether this node reads the file. Among the first members of a new cluster
// it is the one with the least name: all members know it, and leadership may change while
// they start. Otherwise it is the leader.
func (n *Node) imports(ctx context.Context) (bool, error) {
	if len(n.cfg.InitMembers) == 0 {
		return n.awaitLeader(ctx)
	}
	first, _, _ := strings.Cut(slices.Min(n.cfg.InitMembers), "=")
	if first != n.cfg.Name {
		n.log.Info("another first member imports", "name", first)
	}
	return first == n.cfg.Name, nil
}

// awaitLeader waits until a node leads and tells whether it is this one.
func (n *Node) awaitLeader(ctx context.Context) (leads bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaderWithin)
	defer cancel()
	for {
		changed := n.group.LeadershipChanged()
		if _, ok := n.group.Leading(); ok {
			return true, nil
		}
		if id, ok := n.group.Leader(); ok && id != n.self.ID {
			n.log.Info("another node leads and imports", "leader", id)
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

// unmarkAfterImport waits until the importing node has finished.
func (n *Node) unmarkAfterImport(ctx context.Context) {
	for coordinator.Importing(n.group.Catalog()) != coordinator.ImportDone {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	if err := folder.EndImport(n.on.Files, n.folder.Path); err != nil {
		n.log.Warn("the import has ended, but its mark stays", "error", err)
	}
}

// rememberBackup looks up the newest snapshot of this cluster, so that after a restart
// metrics do not report a missing snapshot.
func (n *Node) rememberBackup(ctx context.Context) {
	for n.group.Catalog().ClusterID() == "" {
		select {
		case <-ctx.Done():
			return
		case <-n.group.Changed():
		}
	}
	mine := n.group.Catalog().ClusterID()
	e, err := n.repository.Newest(ctx, func(e repository.Entry) bool { return e.Cluster == mine })
	switch {
	case err == nil:
		n.metrics.Backup.Found(e.Taken)
	case !errors.Is(err, bucket.ErrNotFound) && ctx.Err() == nil:
		n.log.Warn("the storage of backups cannot be read", "component", "backup", "error", err)
	}
}
