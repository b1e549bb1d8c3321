package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// controlGroup bounds the CPU time of one process.
type controlGroup struct{ path string }

// errNoGroups tells that this system, or this user, has no control groups.
var errNoGroups = errors.New("control groups cannot be made here")

// period is the time in microseconds of which a share may be used.
const period = 10_000

// newControlGroup bounds a process to a share of a core.
func newControlGroup(name string, pid int, share float64) (*controlGroup, error) {
	quota := strconv.Itoa(int(share * period))
	for _, kind := range []struct {
		root   string
		values map[string]string
	}{
		{"/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_period_us": strconv.Itoa(period), "cpu.cfs_quota_us": quota}},
		{"/sys/fs/cgroup", map[string]string{"cpu.max": quota + " " + strconv.Itoa(period)}},
	} {
		g := &controlGroup{filepath.Join(kind.root, name)}
		if os.Mkdir(g.path, 0o755) != nil {
			continue
		}
		err := g.write("cgroup.procs", strconv.Itoa(pid))
		for file, value := range kind.values {
			err = errors.Join(err, g.write(file, value))
		}
		if err == nil {
			return g, nil
		}
		if err := g.remove(); err != nil {
			return nil, err
		}
	}
	return nil, errNoGroups
}

func (g *controlGroup) write(file, value string) error {
	return os.WriteFile(filepath.Join(g.path, file), []byte(value), 0o600)
}

// remove ends the group; its process must have ended.
func (g *controlGroup) remove() error {
	if err := os.Remove(g.path); err != nil {
		return fmt.Errorf("remove a control group: %w", err)
	}
	return nil
}
