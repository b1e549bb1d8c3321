package analytics

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"

	"shoal/wire"
)

// Bounds of what is kept.
const (
	// Days is how many days are kept, today included.
	Days = 90
	// counters is how many queries each sketch of today counts, listed how many of each are
	// kept of a day that has ended.
	counters, listed = 10_000, 1_000
	// maxIndexes is how many indexes a day tells apart.
	maxIndexes = 500
	// maxQuery is how many bytes of a query are kept.
	maxQuery = 128
	// maxDay bounds the unpacked file of a day.
	maxDay = 64 << 20
)

// Others stands for all indexes that a day has no room to tell apart. It is no valid name.
const Others = "(others)"

// day is what this node counted in one day.
type day struct {
	number                  int64 // days since 1970, UTC
	indexes                 map[string]*Counts
	queries, empty, clicked *sketch
	// changed: the file does not have all of it.
	changed bool
}

func newDay(number int64, from *Summary) *day {
	d := &day{number: number, indexes: map[string]*Counts{}}
	for i := range from.Indexes {
		c := from.Indexes[i]
		d.indexes[c.Index] = &c
	}
	d.queries, d.empty, d.clicked = sketchOf(counters, from.Queries), sketchOf(counters, from.Empty), sketchOf(counters, from.Clicked)
	return d
}

// forget drops the texts of queries.
func (d *day) forget() {
	d.changed = d.changed || len(d.queries.heap)+len(d.empty.heap)+len(d.clicked.heap) > 0
	d.queries, d.empty, d.clicked = newSketch(counters), newSketch(counters), newSketch(counters)
}

// counts returns the counts of an index.
func (d *day) counts(index string) *Counts {
	c := d.indexes[index]
	if c == nil && len(d.indexes) >= maxIndexes {
		index = Others
		c = d.indexes[index]
	}
	if c == nil {
		c = &Counts{Index: index}
		d.indexes[index] = c
	}
	return c
}

// summary returns a copy. A day that has ended keeps fewer queries.
func (d *day) summary(queries int) *Summary {
	s := &Summary{Queries: d.queries.top().cut(queries), Empty: d.empty.top().cut(queries), Clicked: d.clicked.top().cut(queries)}
	for _, c := range d.indexes {
		own := Counts{Index: c.Index, Hours: append([]Slot(nil), c.Hours...)}
		own.add(c)
		s.Indexes = append(s.Indexes, own)
	}
	return s
}

// numberOf is the number of the day of a time.
func numberOf(t time.Time) int64 {
	return t.UTC().Truncate(24*time.Hour).Unix() / (24 * 60 * 60)
}

// dateOf is the beginning of a day.
func dateOf(number int64) time.Time { return time.Unix(number*24*60*60, 0).UTC() }

// fileName is the name of a day's file.
func fileName(number int64) string { return dateOf(number).Format(time.DateOnly) }

// encode returns the content of a day's file, which has a checksum.
func encode(s *Summary) ([]byte, error) {
	var out bytes.Buffer
	plain, err := wire.Marshal(s)
	if err != nil {
		return nil, err
	}
	w := gzip.NewWriter(&out)
	_, err = w.Write(plain)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// decode reads the content of a day's file.
func decode(content []byte) (*Summary, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxDay+1))
	if err != nil {
		return nil, err
	}
	if len(plain) > maxDay {
		return nil, fmt.Errorf("it holds more than %d bytes", maxDay)
	}
	s := new(Summary)
	return s, wire.Unmarshal(plain, s)
}
