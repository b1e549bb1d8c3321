package observe

import "sync"

// recentBytes bounds the part of the log that a node remembers, for later diagnosis.
const recentBytes = 1 << 20

// recent holds the newest lines of the log. Safe for concurrent use.
type recent struct {
	mu    sync.Mutex
	lines [][]byte // the oldest first
	bytes int
}

// Write remembers a line.
func (r *recent) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, append([]byte(nil), line[:min(len(line), recentBytes/16)]...))
	r.bytes += len(r.lines[len(r.lines)-1])
	drop := 0
	for r.bytes > recentBytes {
		r.bytes -= len(r.lines[drop])
		r.lines[drop] = nil
		drop++
	}
	r.lines = r.lines[drop:]
	return len(line), nil
}

// Recent returns the newest lines of the console.
func (l *Logs) Recent() []byte {
	l.recent.mu.Lock()
	defer l.recent.mu.Unlock()
	all := make([]byte, 0, l.recent.bytes)
	for _, line := range l.recent.lines {
		all = append(all, line...)
	}
	return all
}
