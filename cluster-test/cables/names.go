package cables

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	clustertest "shoal/cluster-test"
)

// shown is where ip looks for files that the processes of a namespace see instead of
// those of the system.
const shown = "/etc/netns"

// Name says what names mean to the nodes, also to those that run: a name may have
// several nodes. A node that is to see them must have been given names before it
// starts.
func (s *Switch) Name(names map[string][]*clustertest.Node) error {
	var text strings.Builder
	text.WriteString("127.0.0.1 localhost\n")
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		for _, n := range names[name] {
			fmt.Fprintf(&text, "%s %s\n", s.at[n], name)
		}
	}
	// One file, written in place: what is mounted over another file is a file, not a name.
	file := filepath.Join(shown, s.name, "hosts")
	if err := s.folder(s.name); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("names on the switch: %w", err)
	}
	for n := range s.at {
		if err := s.folder(n.Namespace); err != nil {
			return err
		}
		if err := os.Symlink(file, filepath.Join(shown, n.Namespace, "hosts")); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("names for %s: %w", n.Name, err)
		}
	}
	return nil
}

// folder makes the folder of what a namespace sees.
func (s *Switch) folder(namespace string) error {
	path := filepath.Join(shown, namespace)
	if slices.Contains(s.told, path) {
		return nil
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("names on the switch: %w", err)
	}
	s.told = append(s.told, path)
	return nil
}
