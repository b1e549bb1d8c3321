package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"shoal/node/formation"
	"shoal/node/machine"
	"shoal/wire"
)

// formatVersion is the version of the data folder's layout.
const formatVersion = "shoal 1"

// Members of a data folder.
const (
	FileFormat  = "FORMAT"
	FileLock    = "LOCK"
	fileNodeID  = "node-id"
	fileCluster = "cluster-id"
	FileSecret  = "cluster-secret"
	FileFirst   = "first-members"
	fileImport  = "import" // while a dump or snapshot is read in
	// fileImported names the import that this folder was made from.
	fileImported = "imported"
	DirRaft      = "raft"
	DirShards    = "shards"
	DirBlobs     = "blobs"
	DirAnalytics = "analytics"
)

// nameSpace served earlier releases to make the ids of first members from their names.
var nameSpace = uuid.MustParse("9f0f5a52-6c1e-4b4e-8a53-5a4bb1a0c3d7")

// Folder is an opened, locked data folder.
type Folder struct {
	Path  string
	ID    wire.NodeID
	files *machine.Files
	fresh bool // held no state before
	lock  io.Closer
	// First is what the folder remembers of the beginning of its cluster.
	First *formation.Record
	// Used: the folder has belonged to a cluster, or was about to join one. Logged: it
	// holds a log. Both as of opening.
	Used, Logged bool
	// Lost are the small files that Salvage could not read.
	Lost    []string
	salvage bool
}

// Open locks the data folder and reads its identity. A new folder gets a new identity, so
// that a node that lost its disk is never mistaken for its former self.
func Open(files *machine.Files, path string) (*Folder, error) {
	return open(&Folder{Path: path, files: files})
}

// Salvage is Open for shoal recover, which needs only the log and the shards. It accepts
// damaged small files and lists them in Lost. ID is "" if the node's own id is among them.
func Salvage(files *machine.Files, path string) (*Folder, error) {
	return open(&Folder{Path: path, files: files, salvage: true})
}

func open(f *Folder) (*Folder, error) {
	files, path := f.files, f.Path
	if err := files.MakeDir(path); err != nil {
		return nil, fmt.Errorf("data folder %s cannot be made: %w: give this user the right to, or use another --db-path", path, err)
	}
	entries, err := files.List(path)
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be read: %w: give this user the right to, or use another --db-path", path, err)
	}
	if f.fresh, err = f.format(entries); f.overlook(err) != nil {
		return nil, err
	}
	lock, err := files.Own(filepath.Join(path, FileLock))
	if errors.Is(err, machine.ErrOwned) {
		return nil, fmt.Errorf("data folder %s is in use by another process: stop it, or use another --db-path", path)
	}
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be written: %w: give this user the right to, or use another --db-path", path, err)
	}
	f.lock = lock
	if f.fresh {
		err = f.initialise()
	} else {
		err = f.overlook(f.read())
	}
	if err == nil {
		err = errors.Join(f.lockOut(), f.recall())
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return f, nil
}

// overlook records a damaged file and returns nil if the folder was opened by Salvage.
func (f *Folder) overlook(err error) error {
	damaged, ok := errors.AsType[*damagedError](err)
	if !ok || !f.salvage {
		return err
	}
	f.Lost = append(f.Lost, damaged.name)
	return nil
}

// format reads the version of the folder's layout. fresh: the folder was never used.
func (f *Folder) format(entries []string) (fresh bool, _ error) {
	b, err := f.files.ReadSummed(filepath.Join(f.Path, FileFormat))
	got := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, fs.ErrNotExist) && unused(f.files, f.Path, entries):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("data folder %s holds files that are not Shoal's: point --db-path at an empty or new folder", f.Path)
	case err != nil:
		return false, f.Damaged(FileFormat, err)
	case got != formatVersion:
		return false, fmt.Errorf("data folder %s has format %q, this binary reads %q: start the version of shoal that this node ran last; if this is it, its file %s is damaged: %s",
			f.Path, got, formatVersion, FileFormat, Anew(f.Path))
	}
	return false, nil
}

// lockOut removes other users' access to files that earlier programs left readable. A
// mounted folder may belong to another user; it stays as it is.
func (f *Folder) lockOut() error {
	for _, name := range []string{DirRaft, DirShards, DirBlobs, DirAnalytics} {
		err := f.files.Private(filepath.Join(f.Path, name), true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("data folder %s cannot be kept from other users: %w: give it to this user", f.Path, err)
		}
	}
	return nil
}

// recall reads the history of the folder.
func (f *Folder) recall() (err error) {
	if f.First, err = formation.Open(f.files, filepath.Join(f.Path, FileFirst)); err != nil {
		if err := f.overlook(f.Damaged(FileFirst, err)); err != nil {
			return err
		}
		f.First = new(formation.Record) // an empty record remembers nothing
	}
	if f.Logged, err = hasLog(f.files, filepath.Join(f.Path, DirRaft)); err != nil {
		return fmt.Errorf("data folder %s is damaged: its log cannot be listed: %w: %s", f.Path, err, Anew(f.Path))
	}
	cluster, err := f.ClusterID()
	_, begun := f.First.State()
	f.Used = f.Logged || begun || cluster != ""
	return f.overlook(err)
}

// unused tells whether a folder is empty, or holds only the remains of an interrupted first
// start or the files of a file system.
func unused(files *machine.Files, path string, entries []string) bool {
	return !slices.ContainsFunc(entries, func(name string) bool {
		switch name {
		case FileLock, fileNodeID, fileImport, "lost+found":
			return false
		case DirShards:
			inside, err := files.List(filepath.Join(path, name))
			return err != nil || len(inside) > 0
		default:
			return !strings.HasPrefix(name, "."+fileNodeID) && !strings.HasPrefix(name, "."+FileFormat) && !strings.HasPrefix(name, "."+fileImport)
		}
	})
}

func (f *Folder) initialise() error {
	f.ID = wire.NodeID(uuid.NewString())
	if err := f.files.WriteSummed(filepath.Join(f.Path, fileNodeID), []byte(f.ID+"\n")); err != nil {
		return fmt.Errorf("write the node id: %w", err)
	}
	if err := f.files.MkdirAll(filepath.Join(f.Path, DirShards), 0o700); err != nil {
		return fmt.Errorf("make the folder of the shards: %w", err)
	}
	// FORMAT comes last: without it the folder counts as never used.
	if err := f.files.WriteSummed(filepath.Join(f.Path, FileFormat), []byte(formatVersion+"\n")); err != nil {
		return fmt.Errorf("write the format: %w", err)
	}
	return nil
}

func (f *Folder) read() error {
	id, err := f.readID(fileNodeID)
	f.ID = wire.NodeID(id)
	return err
}

// Displaced tells whether the folder's path does not lead to this folder any more: somebody
// removed or replaced it, or the volume is gone. The open files still work until the process
// ends. An unreadable file is another matter.
func (f *Folder) Displaced() bool {
	id, err := f.readID(fileNodeID)
	return errors.Is(err, fs.ErrNotExist) || err == nil && wire.NodeID(id) != f.ID
}

// readID reads a file that holds one UUID.
func (f *Folder) readID(name string) (string, error) {
	b, err := f.files.ReadSummed(filepath.Join(f.Path, name))
	if err != nil {
		return "", f.Damaged(name, err)
	}
	text := strings.TrimSpace(string(b))
	if id, err := uuid.Parse(text); err != nil || id.String() != text {
		return "", f.Damaged(name, errors.New("it holds no UUID"))
	}
	return text, nil
}

// ClusterID returns the id of the cluster this folder belongs to, or "" if it belongs to
// none yet.
func (f *Folder) ClusterID() (string, error) {
	id, err := f.readID(fileCluster)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return id, err
}

// SetClusterID durably records the cluster of this folder.
func (f *Folder) SetClusterID(id string) error {
	if err := f.files.WriteSummed(filepath.Join(f.Path, fileCluster), []byte(id+"\n")); err != nil {
		return fmt.Errorf("write the cluster id: %w", err)
	}
	return nil
}

// Anew says what to do with a data folder that is damaged for good. It never advises to
// restore an older copy of the folder: the log in a copy lacks the votes and
// acknowledgements of this node since then, so acknowledged writes would be lost.
func Anew(path string) string {
	return "if other nodes of its cluster run, empty the folder and start this node with --join or its --init-members: the cluster fills it; if no other node is left, empty nothing and run `shoal recover --db-path " + path + "`"
}

// Damaged is the error for a small file of the folder whose content is not what was
// written.
func (f *Folder) Damaged(name string, err error) error {
	return &damagedError{name, fmt.Errorf("data folder %s is damaged: its file %s cannot be used: %w: %s", f.Path, name, err, Anew(f.Path))}
}

// damagedError is the error that Damaged returns.
type damagedError struct {
	name string
	error
}

func (e *damagedError) Unwrap() error { return e.error }

// Mend rewrites the files with the identity and the format of the folder.
func (f *Folder) Mend(id wire.NodeID) error {
	err := f.files.WriteSummed(filepath.Join(f.Path, fileNodeID), []byte(id+"\n"))
	if err == nil {
		err = f.files.WriteSummed(filepath.Join(f.Path, FileFormat), []byte(formatVersion+"\n"))
	}
	if err != nil {
		return fmt.Errorf("write the node id and the format: %w", err)
	}
	f.ID = id
	return nil
}

// Fault says what an operator can do about a part of the folder that cannot be opened.
func (f *Folder) Fault(what string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of data folder %s is full (%s: %w): free some space; nothing acknowledged is lost", f.Path, what, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data folder %s cannot be written (%s: %w): give this user the right to, or use another --db-path", f.Path, what, err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("%s in data folder %s: %w: raise the limit of this process", what, f.Path, err)
	}
	return fmt.Errorf("data folder %s is damaged: %s cannot be used: %w: %s", f.Path, what, err, Anew(f.Path))
}

// Part checks that a member of a folder that was used before still exists.
func (f *Folder) Part(name, what string) error {
	if f.fresh {
		return nil
	}
	_, err := f.files.Stat(filepath.Join(f.Path, name))
	if err != nil {
		return f.Fault(what, err)
	}
	return nil
}

// Close releases the lock.
func (f *Folder) Close() error { return f.lock.Close() }

// MemberID is the id that earlier releases made from the name of a first member.
func MemberID(name string) uuid.UUID { return uuid.NewSHA1(nameSpace, []byte(name)) }

// hasLog tells whether a data folder has ever taken part in a cluster's log.
func hasLog(files *machine.Files, dir string) (bool, error) {
	entries, err := files.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}
