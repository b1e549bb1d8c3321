package analytics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"shoal/api"
	"shoal/node/machine"
)

// Config is what a Recorder needs.
type Config struct {
	Files *machine.Files
	// Dir holds a file for each day.
	Dir string
	// Settings says what is counted now. It must not block.
	Settings func() api.Analytics
	// Now is the clock.
	Now func() time.Time
	// Log is told of files that cannot be read or written.
	Log *slog.Logger
	// Tag is the mark of this node in the uids of queries, see QueryUID.
	Tag uint16
}

// Recorder counts on this node. Safe for concurrent use. Its methods do not wait for the disk,
// but for Save, Summary, and the first count of a day.
type Recorder struct {
	cfg Config

	mu     sync.Mutex
	today  *day
	ended  []*day // not written yet
	recent *recent
	// texts: the files may have texts of queries.
	texts bool

	files  sync.Mutex // held while files are written or read
	failed bool       // the last write failed, and that was logged
}

// Open returns a recorder that goes on with the file of today.
func Open(cfg Config) (*Recorder, error) {
	r := &Recorder{cfg: cfg, recent: newRecent(), texts: true}
	if err := cfg.Files.MakeDir(cfg.Dir); err != nil {
		return nil, fmt.Errorf("make the folder of analytics: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn(numberOf(cfg.Now()))
	return r, nil
}

// turn makes a day today. A clock that is set back finds the file of that day.
func (r *Recorder) turn(number int64) *day {
	if r.today != nil {
		if r.today.number == number {
			return r.today
		}
		if r.today.changed {
			r.ended = append(r.ended, r.today)
		}
	}
	if i := slices.IndexFunc(r.ended, func(d *day) bool { return d.number == number }); i >= 0 {
		r.today = r.ended[i]
		r.ended = slices.Delete(r.ended, i, i+1)
		return r.today
	}
	r.today = newDay(number, r.read(number))
	return r.today
}

// read returns what the file of a day has. A file that cannot be read is as good as none.
func (r *Recorder) read(number int64) *Summary {
	content, err := r.cfg.Files.ReadFile(r.path(number))
	if errors.Is(err, fs.ErrNotExist) {
		return new(Summary)
	}
	var s *Summary
	if err == nil {
		s, err = decode(content)
	}
	if err != nil {
		r.cfg.Log.Warn("what was searched for on a day is lost, because its file cannot be read; the node goes on without", "file", r.path(number), "error", err)
		return new(Summary)
	}
	return s
}

func (r *Recorder) path(number int64) string { return filepath.Join(r.cfg.Dir, fileName(number)) }

// Searched counts an answered search.
func (r *Recorder) Searched(s *api.CountedSearch) {
	settings := r.cfg.Settings()
	if !settings.Enabled {
		return
	}
	var k key
	if settings.Queries {
		if k.query = normalized(s.Query); k.query != "" {
			k.index = strings.Clone(s.IndexUID)
		}
	}
	now := r.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.turn(numberOf(now))
	d.changed = true
	c := d.counts(s.IndexUID)
	hour := c.at(now)
	c.Sum.Searches++
	hour.Searches++
	if s.Empty {
		c.Sum.Empty++
		hour.Empty++
	}
	c.Times = count(c.Times, bucket(s.Took))
	if k.query == "" {
		return
	}
	r.texts = true
	d.queries.add(k, 1)
	if s.Empty {
		d.empty.add(k, 1)
	}
	if s.QueryUID != "" {
		r.recent.add(s.QueryUID, k)
	}
}

// Happened counts an event. known tells whether this node knows the query of the event: then the
// click counts for it. If it does not and must is false, nothing is counted.
func (r *Recorder) Happened(e *api.Event, must bool) (known bool) {
	settings := r.cfg.Settings()
	if !settings.Enabled {
		return false
	}
	now := r.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	k, known := r.recent.find(e.QueryUID)
	known = known && k.index == e.IndexUID
	if !known && !must {
		return false
	}
	d := r.turn(numberOf(now))
	d.changed = true
	c := d.counts(e.IndexUID)
	hour := c.at(now)
	if e.Conversion {
		c.Sum.Conversions++
		hour.Conversions++
		return known
	}
	c.Sum.Clicks++
	hour.Clicks++
	if e.Position != nil {
		c.Positions = count(c.Positions, int(min(*e.Position, positions-1)))
	}
	if known && settings.Queries {
		d.clicked.add(k, 1)
	}
	return known
}

// normalized is the form in which a query is counted: lower case, single spaces, its beginning.
func normalized(q string) string {
	if len(q) > 4*maxQuery { // what follows is not kept
		q = q[:4*maxQuery]
	}
	q = strings.Join(strings.Fields(strings.ToLower(strings.ToValidUTF8(q, ""))), " ")
	for len(q) > maxQuery {
		_, last := utf8.DecodeLastRuneInString(q[:maxQuery+1])
		q = q[:maxQuery+1-last]
	}
	return strings.ToValidUTF8(q, "")
}

// Summary adds up the days from one to another, both included, of one index or of all ("").
func (r *Recorder) Summary(ctx context.Context, from, to int64, index string, interval time.Duration) (*Summary, error) {
	r.files.Lock()
	defer r.files.Unlock()
	sum := &Sum{Index: index, Interval: interval}
	r.mu.Lock()
	known := map[int64]*Summary{}
	for _, d := range append(slices.Clone(r.ended), r.today) {
		known[d.number] = d.summary(counters)
	}
	r.mu.Unlock()
	for number := max(from, to-Days+1); number <= to; number++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s := known[number]; s != nil {
			sum.Add(s)
		} else {
			sum.Add(r.read(number))
		}
	}
	out := sum.Summary(listed)
	if !r.cfg.Settings().Queries {
		out.Queries, out.Empty, out.Clicked = Top{}, Top{}, Top{}
	}
	return out, nil
}
