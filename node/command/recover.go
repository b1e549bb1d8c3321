package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"shoal/consensus"
	"shoal/node/folder"
	"shoal/node/formation"
	"shoal/node/machine"
	"shoal/shard"
	"shoal/wire"
)

// dirRecovering holds the new cluster's log until it replaces the old one.
const dirRecovering = "raft.recovering"

// recoverCmd turns one surviving node into a new cluster.
type recoverCmd struct {
	DBPath string `name:"db-path" required:"" placeholder:"DIR" help:"Data folder of the node that is left; it must not run."`
	Name   string `placeholder:"NAME" help:"Name that the node had, if its folder does not tell any more which node it was."`
	Yes    bool   `help:"Do not ask."`
}

// run reports what the node holds and what is lost, asks, and installs the new cluster's
// log. Until the answer nothing of the node changes.
func (c *recoverCmd) run(ctx context.Context, out io.Writer, in io.Reader) error {
	if _, err := os.Stat(filepath.Join(c.DBPath, folder.FileFormat)); err != nil {
		return usageError{fmt.Errorf("--db-path %s is no data folder of a node: %w", c.DBPath, plainPath(err))}
	}
	machine.KeepPrivate()
	f, err := folder.Salvage(machine.Disk(), c.DBPath)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // releases the lock
	if !f.Logged {
		return fmt.Errorf("data folder %s holds no log (%s): if a recovery was cut off, its log is %s-of-... in the same folder: rename it to %s and run this again; else run it on the folder of another node, or read the newest snapshot or dump into an empty folder",
			f.Path, folder.DirRaft, folder.DirRaft, folder.DirRaft)
	}
	r := &recovery{folder: f, name: c.Name, out: out, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if err := r.prepare(ctx); err != nil {
		return errors.Join(err, os.RemoveAll(r.path(dirRecovering)))
	}
	if err := r.report(); err != nil {
		return errors.Join(err, os.RemoveAll(r.path(dirRecovering)))
	}
	if !c.Yes && !agreed(out, in) {
		fmt.Fprintln(out, "Nothing was changed.")
		return os.RemoveAll(r.path(dirRecovering))
	}
	return r.finish()
}

// recovery is one run of the command.
type recovery struct {
	folder  *folder.Folder
	name    string // of the node, "" if the folder knows it
	out     io.Writer
	log     *slog.Logger
	cluster string // the new id
	done    *consensus.Recovered
}

func (r *recovery) path(name string) string { return filepath.Join(r.folder.Path, name) }

// prepare makes the new log from a copy of the old one.
func (r *recovery) prepare(ctx context.Context) error {
	r.cluster = uuid.NewString()
	dir := r.path(dirRecovering)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("what an earlier recovery left cannot be removed: %w: remove %s, and run the same command again", err, dir)
	}
	if err := copyTree(ctx, r.path(folder.DirRaft), dir); err != nil {
		return fmt.Errorf("the log of data folder %s cannot be copied to %s: %w: nothing was changed; make room on that disk, or copy the folder to a sound one and recover the copy", r.folder.Path, dir, err)
	}
	var err error
	r.done, err = consensus.Recover(&consensus.RecoverConfig{
		Dir: dir, NodeID: r.folder.ID, Name: r.name, Cluster: r.cluster, At: time.Now().UnixNano(), Logger: r.log,
		OnFatal: func(err error) {
			fmt.Fprintln(os.Stderr, "Error:", r.unusable("log", err))
			os.Exit(1)
		},
	})
	if errors.Is(err, consensus.ErrWhoseLog) {
		return fmt.Errorf("data folder %s does not tell which node it was of: %w: nothing was changed; run this again with --name and the name that this node had", r.folder.Path, err)
	}
	if err != nil {
		return r.unusable("log", err)
	}
	r.folder.ID = r.done.Node
	return nil
}

// unusable is the error for a folder from which nothing can be recovered.
func (r *recovery) unusable(what string, err error) error {
	return fmt.Errorf("the %s of data folder %s cannot be used: %w: nothing was changed; run this on the folder of another node, or read the newest snapshot or dump into an empty folder (--db-path EMPTY --import-snapshot FILE)", what, r.folder.Path, err)
}

// report says what the new cluster will have, and what it will lack.
func (r *recovery) report() error {
	d := r.done
	self, _ := d.Catalog.Node(r.folder.ID)
	from := d.From
	if from == "" {
		from = "(not named yet)"
	}
	fmt.Fprintf(r.out, "Node %s (%s), cluster %s\n", self.Name, self.ID, from)
	if len(r.folder.Lost) > 0 {
		fmt.Fprintf(r.out, "Damaged, and written anew: %s\n", strings.Join(r.folder.Lost, ", "))
	}
	fmt.Fprintf(r.out, "\nLog: the last entry here is %d. What others agreed on after it is lost: acknowledged writes may be among that.\n", d.Last)
	if d.Last > d.Applied {
		fmt.Fprintf(r.out, "Entries %d to %d were not known to be agreed on; they count from now on.\n", d.Applied+1, d.Last)
	}
	fmt.Fprintf(r.out, "\nMembers that will be out for good: %d\n", len(d.Lost))
	for _, one := range d.Lost {
		fmt.Fprintf(r.out, "  %s (%s)\n", one.Name, one.ID)
	}
	if err := r.reportIndexes(); err != nil {
		return err
	}
	r.reportTasks()
	return nil
}

// reportIndexes compares the published versions with the store of shards.
func (r *recovery) reportIndexes() error {
	indexes := r.done.Catalog.Indexes()
	fmt.Fprintf(r.out, "\nIndexes: %d\n", len(indexes))
	if len(indexes) == 0 {
		return nil
	}
	host, err := shard.Open(shard.Options{
		Dir: r.path(folder.DirShards), Node: r.folder.ID, Log: r.log, Budget: shard.Divide(256 << 20),
		Fatal: func(err error) {
			fmt.Fprintln(os.Stderr, "Error:", r.unusable("store of shards", err))
			os.Exit(1)
		},
	})
	if err != nil {
		return r.unusable("store of shards", err)
	}
	var broken []string
	for _, x := range indexes {
		fmt.Fprintf(r.out, "  %s, version %d: ", x.UID, x.Version)
		missing, documents := r.missing(host.Holdings, x)
		if len(missing) == 0 {
			fmt.Fprintf(r.out, "all %d shards, %d documents\n", len(x.Shards), documents)
			continue
		}
		fmt.Fprintf(r.out, "NOT WHOLE, answers 503: %s\n", strings.Join(missing, "; "))
		broken = append(broken, x.UID)
	}
	for _, uid := range broken {
		fmt.Fprintf(r.out, "\nIndex %s stays listed. Delete it (DELETE /indexes/%s) and send its documents again, or take them from a dump: shoal --db-path EMPTY --import-dump FILE on the side, then POST /export.\n", uid, uid)
	}
	return host.Close()
}

// missing lists the shards of an index that this node cannot serve.
func (r *recovery) missing(holds *shard.Holdings, x *wire.Index) (missing []string, documents uint64) {
	if x.Version == 0 {
		return nil, 0
	}
	for i := range x.Shards {
		s := &x.Shards[i]
		if i < len(x.Stats) {
			documents += x.Stats[i].Documents
		}
		state, here := wire.Copying, false
		for _, c := range s.Replicas {
			if c.Node == r.folder.ID {
				state, here = c.State, true
			}
		}
		in, whole, err := holds.Holds(x, s.Number)
		switch {
		case !here:
			missing = append(missing, fmt.Sprintf("shard %d has no copy here", s.Number))
		case err != nil:
			missing = append(missing, fmt.Sprintf("shard %d cannot be read (%v)", s.Number, err))
		case state != wire.InSync || !whole:
			missing = append(missing, fmt.Sprintf("the copy of shard %d here was not up to date (it has version %d)", s.Number, in))
		}
	}
	return missing, documents
}

// reportTasks lists the unfinished accepted tasks.
func (r *recovery) reportTasks() {
	const most = 20
	fmt.Fprintf(r.out, "\nUnfinished tasks: %d\n", len(r.done.Unfinished))
	for i, t := range r.done.Unfinished {
		if i == most {
			fmt.Fprintf(r.out, "  ... and %d more\n", len(r.done.Unfinished)-most)
			break
		}
		index := "-"
		if t.IndexUID != nil {
			index = *t.IndexUID
		}
		fmt.Fprintf(r.out, "  %d %s %s: %s\n", t.UID, index, t.Kind, r.fate(t))
	}
}

// fate says what will happen to an unfinished task.
func (r *recovery) fate(t *wire.Task) string {
	if t.Payload.Blob == nil {
		return "goes on"
	}
	found, err := filepath.Glob(filepath.Join(r.path(folder.DirBlobs), t.Payload.Blob.ID+".*"))
	if err == nil && len(found) > 0 {
		return "goes on, its documents are here"
	}
	return "will fail, its documents were on lost nodes only"
}

// finish puts the new log in place and keeps the old one.
func (r *recovery) finish() error {
	kept := folder.DirRaft + "-of-" + r.done.From
	for i := 2; ; i++ {
		if _, err := os.Lstat(r.path(kept)); errors.Is(err, fs.ErrNotExist) {
			break
		}
		kept = fmt.Sprintf("%s-of-%s-%d", folder.DirRaft, r.done.From, i)
	}
	if err := os.Rename(r.path(folder.DirRaft), r.path(kept)); err != nil {
		return fmt.Errorf("the old log cannot be kept under another name: %w: nothing was changed; run the same command again", err)
	}
	if err := os.Rename(r.path(dirRecovering), r.path(folder.DirRaft)); err != nil {
		return fmt.Errorf("the new log cannot be put in place: %w: rename %s back to %s and run the same command again", err, r.path(kept), folder.DirRaft)
	}
	self, _ := r.done.Catalog.Node(r.folder.ID)
	err := errors.Join(
		r.folder.Mend(self.ID),
		syncFolder(r.folder.Path),
		r.folder.SetClusterID(r.cluster),
		formation.Restart(machine.Disk(), r.path(folder.FileFirst), formation.Members{{Name: self.Name, ID: self.ID}}),
		syncFolder(r.folder.Path),
	)
	if err != nil {
		return fmt.Errorf("the new log is in place, but the folder is not complete: %w: run the same command again", err)
	}
	fmt.Fprintf(r.out, `
Done: data folder %s is the start of cluster %s. Its log as it was is kept in %s.

Next:
  1. Start this node with the command line it always had.
  2. Start the other machines with EMPTY data folders and the command lines they always had: they join as
     new nodes and get copies. With their old folders they are refused.
  3. Watch it: shoal status
  4. When all is well: rm -r %s
`, r.folder.Path, r.cluster, r.path(kept), r.path(kept))
	return nil
}

// agreed asks the user.
func agreed(out io.Writer, in io.Reader) bool {
	fmt.Fprint(out, "\nThis makes a new cluster of this node alone. Do it only when the others will never come back. Type yes to go on: ")
	line, _ := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n') // no answer is no
	return strings.TrimSpace(line) == "yes"
}

// copyTree copies a folder durably. It makes hard links of table files where possible,
// because they never change.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o700)
		case filepath.Ext(path) == ".sst" && os.Link(path, target) == nil:
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// plainPath drops the path from an error of the file system, which repeats it.
func plainPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
