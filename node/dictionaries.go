package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"shoal/text/dictionary"
	"shoal/wire"
	"shoal/wire/await"
)

// openDictionaries finds the dictionaries of this node and tells the other nodes which it
// has (docs/adr/0018).
func (n *Node) openDictionaries(context.Context) error {
	folders, err := n.dictionaryFolders()
	if err != nil {
		return err
	}
	broken := func(err error) { n.fail(err) }
	for _, dir := range folders {
		found, err := dictionary.Open(dir, broken)
		if err != nil {
			return fmt.Errorf("%w (--dictionaries none does without)", err)
		}
		if found != 0 {
			n.dictionaries = found
			n.log.Info("dictionaries found", "which", found.String(), "folder", dir)
			return nil
		}
	}
	if n.cfg.Dictionaries != "" && n.cfg.Dictionaries != "none" {
		return fmt.Errorf("--dictionaries %s: the folder holds neither %s nor %s: name the one of this program's release, or none",
			n.cfg.Dictionaries, dictionary.FileName(dictionary.Japanese), dictionary.FileName(dictionary.Korean))
	}
	return nil
}

// dictionaryFolders are the possible places of the dictionaries: the one that the option
// names, or beside the program as in the archives, or where packages install them.
func (n *Node) dictionaryFolders() ([]string, error) {
	switch n.cfg.Dictionaries {
	case "none":
		return nil, nil
	case "":
	default:
		if _, err := os.Stat(n.cfg.Dictionaries); err != nil {
			return nil, fmt.Errorf("--dictionaries: %w", err)
		}
		return []string{n.cfg.Dictionaries}, nil
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if errors.Is(err, fs.ErrNotExist) { // the program file was replaced or removed during the start
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the folder of the program is not known, name that of the dictionaries with --dictionaries: %w", err)
	}
	beside := filepath.Dir(program)
	return []string{filepath.Join(beside, "dictionaries"), filepath.Join(beside, "..", "share", "shoal", "dictionaries")}, nil
}

// lookAtDictionaries is how often a node checks whether it lacks a dictionary.
const lookAtDictionaries = time.Second

// needDictionaries ends this node once an index of its cluster is cut by a dictionary that
// the node lacks, because it would search for other words than the indexed ones. The leader
// does not admit a node without the dictionary; this is for a node that had it before.
func (n *Node) needDictionaries(ctx context.Context) {
	for {
		changed := n.group.Changed()
		if err := lacking(n.group.Catalog().Indexes(), n.dictionaries); err != nil {
			n.fail(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		if await.Sleep(ctx, lookAtDictionaries) != nil {
			return
		}
	}
}

// lacking returns an error that names an index whose dictionary this node lacks.
func lacking(indexes []*wire.Index, has dictionary.Set) error {
	for _, x := range indexes {
		if missing := x.Generations.Dictionaries() &^ has; missing != 0 {
			return fmt.Errorf("index %q is cut by a dictionary that this node does not have (%s): %s", x.UID, missing, dictionary.Remedy)
		}
	}
	return nil
}
