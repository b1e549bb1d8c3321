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
func openDictionaries(p *process) (dictionary.Set, error) {
	folders, err := dictionaryFolders(p.cfg.Dictionaries)
	if err != nil {
		return 0, err
	}
	for _, dir := range folders {
		found, err := dictionary.Open(dir, p.fail)
		if err != nil {
			return 0, fmt.Errorf("%w (--dictionaries none does without)", err)
		}
		if found != 0 {
			p.log.Info("dictionaries found", "which", found.String(), "folder", dir)
			return found, nil
		}
	}
	if p.cfg.Dictionaries != "" && p.cfg.Dictionaries != "none" {
		return 0, fmt.Errorf("--dictionaries %s: the folder holds neither %s nor %s: name the one of this program's release, or none",
			p.cfg.Dictionaries, dictionary.FileName(dictionary.Japanese), dictionary.FileName(dictionary.Korean))
	}
	return 0, nil
}

// dictionaryFolders are the possible places of the dictionaries: the one that the option
// names, or beside the program as in the archives, or where packages install them.
func dictionaryFolders(option string) ([]string, error) {
	switch option {
	case "none":
		return nil, nil
	case "":
	default:
		if _, err := os.Stat(option); err != nil {
			return nil, fmt.Errorf("--dictionaries: %w", err)
		}
		return []string{option}, nil
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
func (m *member) needDictionaries(ctx context.Context) {
	for {
		changed := m.group.Changed()
		if err := lacking(m.group.Catalog().Indexes(), m.self.Dictionaries); err != nil {
			m.fail(err)
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
