package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"shoal/consensus"
	"shoal/node/blob"
	"shoal/node/ctl"
	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/shard"
)

// verifyCmd verifies the data of nodes: in the data folders of stopped nodes, or through
// running ones.
type verifyCmd struct {
	ctl.Remote
	Node    string   `placeholder:"NAME" help:"Of a running cluster, this node only."`
	Folders []string `arg:"" optional:"" name:"folder" placeholder:"DIR" help:"Data folders (--db-path) of nodes that do not run, or copies of them; several are compared with each other."`
}

// Run reads everything in the folders and reports damage and copies that differ. The exit
// status is 0 if all is well, 1 if not, 2 if a folder cannot be read.
func (v *verifyCmd) Run(ctx context.Context, out io.Writer) error {
	if len(v.Folders) == 0 {
		return v.Verify(ctx, v.Node, out)
	}
	faults, copies := 0, map[string][]shard.Content{}
	for _, dir := range v.Folders {
		found, err := verifyFolder(ctx, dir, out, copies)
		if err != nil {
			return err
		}
		faults += found
	}
	for _, line := range shard.Disagreements(copies) {
		fmt.Fprintln(out, "DIFFERS "+line)
		faults++
	}
	if faults > 0 {
		return &ctl.Status{Code: 1, Text: fmt.Sprintf("%d faults: nothing was changed. A node in a cluster mends its shards by itself when it runs. If the log is damaged and other nodes run, empty the folder and start the node: the cluster fills it. If no other node is left, run shoal recover.", faults)}
	}
	fmt.Fprintln(out, "everything is as it was written")
	return nil
}

// verifyFolder verifies one data folder and returns the number of its faults.
func verifyFolder(ctx context.Context, dir string, out io.Writer, copies map[string][]shard.Content) (faults int, err error) {
	if _, err := os.Stat(filepath.Join(dir, folder.FileFormat)); err != nil {
		return 0, usageError{fmt.Errorf("%s is no data folder of a node: %w", dir, plainPath(err))}
	}
	unlock, err := stopped(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log, logBytes, err := consensus.VerifyLog(ctx, filepath.Join(dir, folder.DirRaft))
	if err != nil {
		return 0, err
	}
	store, err := shard.Verify(ctx, filepath.Join(dir, folder.DirShards), nil)
	if err != nil {
		return 0, err
	}
	payloads, payloadBytes, err := blob.Verify(ctx, filepath.Join(dir, folder.DirBlobs))
	if err != nil {
		return 0, err
	}
	for _, lines := range [][]string{log, store.Damage, payloads} {
		for _, line := range lines {
			fmt.Fprintf(out, "DAMAGED %s: %s\n", dir, line)
			faults++
		}
	}
	copies[dir] = store.Copies
	fmt.Fprintf(out, "%s: %d bytes of log, %d bytes in %d files of %d shards, %d bytes of staged payloads; %d faults\n",
		dir, logBytes, store.Bytes, store.Files, len(store.Copies), payloadBytes, faults)
	return faults, nil
}

// stopped ensures that no node runs on a folder, until unlock.
func stopped(dir string) (unlock func() error, err error) {
	lock, err := os.Open(filepath.Join(dir, folder.FileLock))
	if errors.Is(err, os.ErrNotExist) {
		return func() error { return nil }, nil // a copy of a folder, without a lock file
	}
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be locked: %w: run this as the user of the node", dir, err)
	}
	if err := machine.Idle(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s is in use: stop the node, or verify a copy of the folder", dir), lock.Close())
	}
	return lock.Close, nil
}
