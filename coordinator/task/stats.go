package task

import (
	"fmt"
	"sort"
	"strconv"
	"time"

	"shoal/api/jsonvalue"
	"shoal/wire"
)

// StatusNames are the public names of statuses, by value.
var StatusNames = [...]string{"enqueued", "processing", "succeeded", "failed", "canceled"}

// Stats collects the "stats" object of a batch (spec tasks-auth-ops-api 5.4).
type Stats struct {
	total    uint64
	statuses [len(StatusNames)]uint64
	kinds    map[wire.Kind]uint64
	indexes  map[string]uint64
}

// Count adds one task with the status it has in the batch.
func (s *Stats) Count(t *wire.Task, status wire.Status) {
	if s.kinds == nil {
		s.kinds, s.indexes = map[wire.Kind]uint64{}, map[string]uint64{}
	}
	s.total++
	if int(status) < len(s.statuses) {
		s.statuses[status]++
	}
	s.kinds[t.Kind]++
	if t.IndexUID != nil {
		s.indexes[*t.IndexUID]++
	}
}

// Figures describe the work of a finished batch.
type Figures struct {
	// Trace are the steps in the order in which they ended. Names include the outer steps
	// ("processing tasks > indexing").
	Trace []Span
	// Deltas is the number of deltas written. It is 0 for a batch that wrote no documents and
	// rebuilt no tables.
	Deltas int
	// Embedders are the calls to embedders.
	Embedders wire.EmbedderFigures
	// Before and After are the bytes of the documents before and after the batch.
	Before, After uint64
}

// Span is one step of a trace.
type Span struct {
	Name string
	Took time.Duration
}

// JSON encodes the object; figures is nil while the batch runs.
func (s *Stats) JSON(figures *Figures) []byte {
	out := append([]byte(`{"totalNbTasks":`), strconv.FormatUint(s.total, 10)...)
	out = append(out, `,"status":`...)
	var statuses counts
	for i, n := range s.statuses {
		if n > 0 {
			statuses = append(statuses, count{StatusNames[i], n})
		}
	}
	out = statuses.append(out)
	out = append(out, `,"types":`...)
	var kinds counts
	for i := range Table {
		if n := s.kinds[Table[i].Name]; n > 0 {
			kinds = append(kinds, count{string(Table[i].Name), n})
		}
	}
	out = kinds.append(out)
	out = append(out, `,"indexUids":`...)
	var indexes counts
	for uid, n := range s.indexes {
		indexes = append(indexes, count{uid, n})
	}
	sort.Slice(indexes, func(i, j int) bool { return indexes[i].name < indexes[j].name })
	out = indexes.append(out)
	if figures != nil {
		out = figures.append(out)
	}
	return append(out, '}')
}

// append adds the members that only finished batches have. Builders never wait for the writer
// of their store, so the blocked attempts are always 0.
func (f *Figures) append(out []byte) []byte {
	if len(f.Trace) > 0 {
		out = append(out, `,"progressTrace":{`...)
		for i, s := range f.Trace {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, quoted(s.Name)...), ':')
			out = append(out, quoted(jsonvalue.HumanDuration(s.Took))...)
		}
		out = append(out, '}')
	}
	if f.Deltas > 0 {
		out = append(out, `,"writeChannelCongestion":{"attempts":`...)
		out = strconv.AppendInt(out, int64(f.Deltas), 10)
		out = append(out, `,"blocking_attempts":0,"blocking_ratio":0.0}`...)
	}
	if f.Before != f.After {
		sign, change := "+", f.After-f.Before
		if f.After < f.Before {
			sign, change = "-", f.Before-f.After
		}
		out = append(out, `,"internalDatabaseSizes":{"documents":`...)
		out = append(out, quoted(jsonvalue.HumanBinarySize(f.After)+" ("+sign+jsonvalue.HumanBinarySize(change)+")")...)
		out = append(out, '}')
	}
	if e := &f.Embedders; e.Requests > 0 {
		out = fmt.Appendf(out, `,"embedderRequests":{"total":%d,"failed":%d`, e.Requests, e.Failed)
		if e.LastError != "" {
			out = append(append(out, `,"lastError":`...), quoted(e.LastError)...)
		}
		out = append(out, '}')
	}
	return out
}

type count struct {
	name string
	n    uint64
}

type counts []count

func (c counts) append(out []byte) []byte {
	out = append(out, '{')
	for i, m := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quoted(m.name)...)
		out = append(out, ':')
		out = strconv.AppendUint(out, m.n, 10)
	}
	return append(out, '}')
}
