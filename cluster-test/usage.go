package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPU is the processor time that the live threads of the process have used (Linux). That is
// all of it, because threads of our programs last as long as the program.
func (n *Node) CPU() (used time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", n.PID()))
	if err != nil || len(threads) == 0 {
		return 0, errors.Join(fmt.Errorf("the system does not tell the CPU time of %s", n.Name), err)
	}
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil {
			return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		v, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
		}
		used += time.Duration(v)
	}
	return used, nil
}

// Resident is the current memory of the process in MiB, mapped pages included (Linux).
func (n *Node) Resident() (mib int, err error) { return n.memory("VmRSS:") }

// Peak is the largest memory that the process has had, in MiB (Linux).
func (n *Node) Peak() (mib int, err error) { return n.memory("VmHWM:") }

// memory reads a line of the process's status.
func (n *Node) memory(name string) (mib int, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.PID()))
	if err != nil {
		return 0, fmt.Errorf("memory of %s: %w", n.Name, err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			var kib int
			if _, err := fmt.Sscan(rest, &kib); err != nil {
				return 0, fmt.Errorf("memory of %s: %q: %w", n.Name, line, err)
			}
			return kib >> 10, nil
		}
	}
	return 0, fmt.Errorf("the system does not tell the memory of %s", n.Name)
}

// ReadWatched reads a page from the address of metrics and profiles. Call Watch first.
func (n *Node) ReadWatched(ctx context.Context, path string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.Watched+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", n.Name, path, resp.Status)
	}
	return read(resp.Body)
}

// SaveWatched writes the page that ReadWatched reads into a file.
func (n *Node) SaveWatched(ctx context.Context, path, file string) error {
	return n.ReadWatched(ctx, path, func(r io.Reader) error {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	})
}

// CPU is the sum of Node.CPU over all nodes.
func (c *Cluster) CPU() (sum time.Duration, err error) {
	for _, n := range c.Nodes {
		used, err := n.CPU()
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}
