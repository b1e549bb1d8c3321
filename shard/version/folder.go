package version

import (
	"errors"
	"path/filepath"
	"strings"

	"shoal/shard/store"
	"shoal/wire"
)

// Unfinished is the suffix of a file that is being written.
const Unfinished = ".unfinished"

// Folder is a folder of files that are made from shards, and can be made again. Safe for
// concurrent use.
type Folder struct {
	Store *store.Store
	Dir   string
	// Owner returns the shard of a file, by its name. ok is false if the name says none.
	Owner func(name string) (key wire.ShardKey, ok bool)
}

// File returns the path of a file.
func (f *Folder) File(name string) string { return filepath.Join(f.Dir, name) }

// Remove removes files by name. Missing files are no error.
func (f *Folder) Remove(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, f.Store.RemoveStaged(f.File(name)))
	}
	return err
}

// Of lists the files of a shard.
func (f *Folder) Of(key wire.ShardKey) (names []string, err error) {
	all, err := f.Store.FS.List(f.Dir)
	for _, name := range all {
		if of, ok := f.Owner(name); ok && of == key {
			names = append(names, name)
		}
	}
	return names, err
}

// Sweep creates the folder and removes unfinished files, files of shards that the store does
// not have, and useless ones. It returns the number of files of each shard. Nothing may be
// written meanwhile.
func (f *Folder) Sweep(useless func(name string) bool) (files map[wire.ShardKey]int, err error) {
	if err := f.Store.FS.MkdirAll(f.Dir, 0o755); err != nil {
		return nil, err
	}
	names, err := f.Store.FS.List(f.Dir)
	if err != nil {
		return nil, err
	}
	files, gone := map[wire.ShardKey]int{}, map[wire.ShardKey]bool{}
	for _, name := range names {
		key, ours := f.Owner(name)
		if _, asked := gone[key]; ours && !asked {
			var e error
			gone[key], e = Gone(f.Store, key)
			err = errors.Join(err, e)
		}
		switch {
		case strings.HasSuffix(name, Unfinished) || useless(name) || ours && gone[key]:
			err = errors.Join(err, f.Remove(name))
		case ours:
			files[key]++
		}
	}
	return files, err
}
