package build

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"shoal/api/apierr"
)

// lackingVectors is a document without required vectors or, with a fault, one whose
// embedder failed.
type lackingVectors struct {
	embedder, id string
	task         uint32
	position     uint64
	fault        *apierr.Error
	// alone: the fault concerns this document only. failsTask: its task alone fails.
	alone, failsTask bool
}

// vectorFaults records why documents could not be embedded, and a possible cause: the
// unknown names in _vectors with their counts.
type vectorFaults struct {
	lacking []lackingVectors
	names   map[string]uint64
}

func (v *vectorFaults) unknown(names []string) {
	for _, n := range names {
		if v.names == nil {
			v.names = map[string]uint64{}
		}
		v.names[n]++
	}
}

func (v *vectorFaults) join(o *vectorFaults) {
	v.lacking = append(v.lacking, o.lacking...)
	for n, count := range o.names {
		if v.names == nil {
			v.names = map[string]uint64{}
		}
		v.names[n] += count
	}
}

// vectorFailure is the error of a batch with documents that could not be embedded. It
// names the first embedder by name, with its first document.
func (b *builder) vectorFailure() *buildFailure {
	lacking := b.vector.lacking
	if len(lacking) == 0 {
		return nil
	}
	first := slices.MinFunc(lacking, func(x, y lackingVectors) int {
		return cmp.Or(strings.Compare(x.embedder, y.embedder), cmp.Compare(x.task, y.task), cmp.Compare(x.position, y.position))
	})
	m := &apierr.MissingVectors{Embedder: first.embedder, Document: first.id, Others: -1, Fields: b.misspelt()}
	for _, l := range lacking {
		if l.embedder == first.embedder {
			m.Others++
		}
	}
	if first.fault != nil {
		m.Others, m.Fault, m.Alone = 0, first.fault.Message, first.alone
	}
	for name, n := range b.vector.names {
		if apierr.WithinTypos(first.embedder, name, 2) {
			m.Names = append(m.Names, apierr.NameCount{Name: name, Count: n})
		}
	}
	m.Names = apierr.AddCounts(m.Names, nil)
	var f *buildFailure
	errors.As(failing(m.API(), first.task, first.position), &f)
	f.Vectors, f.FailsTask = m, first.failsTask
	return f
}

// misspelt counts the documents of the shard, after the batch, by field names that may
// be misspelt _vectors.
func (b *builder) misspelt() []apierr.NameCount {
	after := b.newState()
	var out []apierr.NameCount
	for fid, n := range after.Present {
		if n > 0 && fid < len(b.req.Fields) && apierr.LooksLikeVectors(b.req.Fields[fid]) {
			out = append(out, apierr.NameCount{Name: b.req.Fields[fid], Count: n})
		}
	}
	return apierr.AddCounts(out, nil)
}
