package task

import (
	"sort"
	"strconv"
	"time"

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

// JSON encodes the object. took, when not 0, is how long the work lasted.
func (s *Stats) JSON(took time.Duration) []byte {
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
	if took > 0 {
		out = append(out, `,"progressTrace":{"processing tasks":"`...)
		out = append(append(out, traceText(took)...), `"}`...)
	}
	return append(out, '}')
}

// traceText writes a duration with two decimals in the largest fitting unit.
func traceText(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.size {
			return strconv.FormatFloat(float64(d)/float64(u.size), 'f', 2, 64) + u.name
		}
	}
	return strconv.FormatFloat(float64(d), 'f', 2, 64) + "ns"
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
