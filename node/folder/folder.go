package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
	"github.com/google/uuid"

	"shoal/node/formation"
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
	// FileStretched is there once all members knew the stretched form of the secret.
	FileStretched = "secret-stretched"
	DirRaft       = "raft"
	DirShards     = "shards"
	DirBlobs      = "blobs"
)

// nameSpace made the ids of the first members of earlier releases from their names.
var nameSpace = uuid.MustParse("9f0f5a52-6c1e-4b4e-8a53-5a4bb1a0c3d7")

// Folder is an opened, locked data folder.
type Folder struct {
	Path  string
	ID    wire.NodeID
	fresh bool // held no state before
	lock  *os.File
	// First is what it remembers of the beginning of its cluster.
	First *formation.Record
	// Used: it has belonged to a cluster, or was about to join one; Logged: it holds a
	// log. Both as it was opened.
	Used, Logged bool
}

// Open locks the data folder and reads its identity; a new folder gets one, so
// that a node which lost its disk is never taken for the one it was.
func Open(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("data folder %s cannot be made (--db-path): %w", path, err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be read (--db-path): %w", path, err)
	}
	format, err := os.ReadFile(filepath.Join(path, FileFormat))
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case fresh && !unused(path, entries):
		return nil, fmt.Errorf("data folder %s holds files that are not Shoal's: point --db-path at an empty or new folder", path)
	case !fresh && err != nil:
		return nil, fmt.Errorf("data folder %s is damaged: %w", path, err)
	case !fresh && strings.TrimSpace(string(format)) != formatVersion:
		return nil, fmt.Errorf("data folder %s has format %q, this binary reads %q: use the matching version of shoal", path, strings.TrimSpace(string(format)), formatVersion)
	}
	lock, err := os.OpenFile(filepath.Join(path, FileLock), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be written (--db-path): %w", path, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("data folder %s is in use by another process: stop it, or use another --db-path", path)
	}
	f := &Folder{Path: path, fresh: fresh, lock: lock}
	if fresh {
		err = f.initialise()
	} else {
		err = f.read()
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

// lockOut keeps other users from what earlier programs wrote for everybody to read.
// A mounted folder may belong to somebody else; it stays as it is.
func (f *Folder) lockOut() error {
	for _, name := range []string{DirRaft, DirShards, DirBlobs} {
		err := os.Chmod(filepath.Join(f.Path, name), 0o700)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("data folder %s cannot be kept from other users: %w: give it to this user", f.Path, err)
		}
	}
	return nil
}

// recall reads what the folder has been through.
func (f *Folder) recall() (err error) {
	if f.First, err = formation.Open(filepath.Join(f.Path, FileFirst)); err != nil {
		return fmt.Errorf("data folder %s is damaged: %w", f.Path, err)
	}
	if f.Logged, err = hasLog(filepath.Join(f.Path, DirRaft)); err != nil {
		return fmt.Errorf("data folder %s is damaged: %w", f.Path, err)
	}
	cluster, err := f.ClusterID()
	_, begun := f.First.State()
	f.Used = f.Logged || begun || cluster != ""
	return err
}

// unused tells whether a folder holds nothing, or only what a first start that was
// cut short leaves, or a file system.
func unused(path string, entries []os.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		switch name := e.Name(); name {
		case FileLock, fileNodeID, fileImport, "lost+found":
			return false
		case DirShards:
			inside, err := os.ReadDir(filepath.Join(path, name))
			return err != nil || len(inside) > 0
		default:
			return !strings.HasPrefix(name, "."+fileNodeID) && !strings.HasPrefix(name, "."+FileFormat) && !strings.HasPrefix(name, "."+fileImport)
		}
	})
}

func (f *Folder) initialise() error {
	f.ID = wire.NodeID(uuid.NewString())
	if err := renameio.WriteFile(filepath.Join(f.Path, fileNodeID), []byte(f.ID+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the node id: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(f.Path, DirShards), 0o700); err != nil {
		return fmt.Errorf("make the folder of the shards: %w", err)
	}
	// FORMAT comes last: without it the folder counts as never used.
	if err := renameio.WriteFile(filepath.Join(f.Path, FileFormat), []byte(formatVersion+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the format: %w", err)
	}
	return nil
}

func (f *Folder) read() error {
	b, err := os.ReadFile(filepath.Join(f.Path, fileNodeID))
	if err != nil {
		return fmt.Errorf("data folder %s is damaged: its node id cannot be read (%w): restore the folder from a copy, or start with an empty one and let the cluster fill it", f.Path, err)
	}
	id, err := uuid.Parse(strings.TrimSpace(string(b)))
	if err != nil {
		return fmt.Errorf("data folder %s is damaged: its node id is not a uuid: restore the folder from a copy, or start with an empty one and let the cluster fill it", f.Path)
	}
	f.ID = wire.NodeID(id.String())
	return nil
}

// ClusterID returns the id of the cluster this folder belongs to, "" when it
// belongs to none yet.
func (f *Folder) ClusterID() (string, error) {
	b, err := os.ReadFile(filepath.Join(f.Path, fileCluster))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the cluster id: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// SetClusterID writes down which cluster the folder belongs to, durably.
func (f *Folder) SetClusterID(id string) error {
	if err := renameio.WriteFile(filepath.Join(f.Path, fileCluster), []byte(id+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the cluster id: %w", err)
	}
	return nil
}

// Fault says what an operator can do about something in the folder that cannot be
// opened.
func (f *Folder) Fault(what string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of data folder %s is full (%s: %w): free some space", f.Path, what, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data folder %s cannot be written (%s: %w): give this user the right to, or use another --db-path", f.Path, what, err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("%s in data folder %s: %w: raise the limit of this process", what, f.Path, err)
	}
	return fmt.Errorf("data folder %s is damaged: %s cannot be used (%w): restore the folder from a copy, or start with an empty one (in a cluster this node then comes back by itself)",
		f.Path, what, err)
}

// Part checks that a member of a folder which was in use before is still there.
func (f *Folder) Part(name, what string) error {
	if f.fresh {
		return nil
	}
	_, err := os.Stat(filepath.Join(f.Path, name))
	if err != nil {
		return f.Fault(what, err)
	}
	return nil
}

// Close releases the lock.
func (f *Folder) Close() error { return f.lock.Close() }

// MemberID is the id that earlier releases made of the name of a first member.
func MemberID(name string) uuid.UUID { return uuid.NewSHA1(nameSpace, []byte(name)) }

// hasLog tells whether a data folder has ever taken part in a cluster's log.
func hasLog(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}
