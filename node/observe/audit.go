package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"shoal/httpfront"
)

// auditBytes is the size at which the file of the audit log is rotated.
const auditBytes = 64 << 20

// Audit is the log of who changed what: a file with one JSON object per line. Safe for
// concurrent use.
type Audit struct {
	path, node string
	now        func() time.Time
	log        *slog.Logger

	mu     sync.Mutex
	file   *os.File
	size   int64
	most   int64
	failed bool // the last line was not written, and that was logged
}

// OpenAudit opens or creates the file at path, unreadable for other users.
func OpenAudit(path, node string, log *slog.Logger) (*Audit, error) {
	a := &Audit{path: path, node: node, now: time.Now, log: log, most: auditBytes}
	return a, a.open()
}

func (a *Audit) open() error {
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("--audit-log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("--audit-log: %w", err), f.Close())
	}
	a.file, a.size = f, info.Size()
	return nil
}

// line is one entry of the log.
type line struct {
	Time      time.Time `json:"time"`
	Node      string    `json:"node"`
	Key       string    `json:"key,omitempty"`
	Address   string    `json:"address"`
	Forwarded string    `json:"forwardedFor,omitempty"`
	Route     string    `json:"route"`
	Index     string    `json:"indexUid,omitempty"`
	Status    int       `json:"status"`
	Task      *uint64   `json:"taskUid,omitempty"`
}

// lineOf returns the line of a change.
func lineOf(at time.Time, node string, c httpfront.Change) line {
	return line{at.UTC(), node, c.Key, c.Address, c.Forwarded, c.Route, c.Index, c.Status, c.Task}
}

// Write adds a change, which is already accepted. A failure is logged once, until a line
// can be written again.
func (a *Audit) Write(c httpfront.Change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, err := json.Marshal(lineOf(a.now(), a.node, c))
	if err == nil {
		err = a.append(append(text, '\n'))
	}
	if err != nil && !a.failed {
		a.log.Error("changes are not written to the audit log; make room or mend --audit-log, the node goes on without", "file", a.path, "error", err)
	}
	a.failed = err != nil
}

// append writes a line, to a new file if the old one is full.
func (a *Audit) append(text []byte) error {
	if a.file == nil || a.size > 0 && a.size+int64(len(text)) > a.most {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	n, err := a.file.Write(text)
	a.size += int64(n)
	return err
}

// rotate renames the file, replacing the one that was rotated before.
func (a *Audit) rotate() error {
	if a.file != nil {
		err := a.file.Close()
		a.file = nil
		if err != nil {
			return err
		}
		if err := os.Rename(a.path, a.path+".1"); err != nil {
			return err
		}
	}
	return a.open()
}

// Close closes the file.
func (a *Audit) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}
