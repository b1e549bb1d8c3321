package api

import (
	"strconv"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Stats are the figures of the whole instance (spec tasks-auth-ops-api 10.3).
type Stats struct {
	DatabaseSize     uint64
	UsedDatabaseSize uint64
	LastUpdate       int64 // UnixNano, 0 = null
	// Indexes are sorted by uid.
	Indexes []decode.Entry[IndexStats]
}

// IndexStats are the figures of one index. FieldDistribution is sorted by name.
type IndexStats struct {
	Documents uint64
	// Bytes are those on the disk of the node that answers; all are in use.
	Bytes             uint64
	RawDocumentBytes  uint64
	AvgDocumentBytes  uint64
	IsIndexing        bool
	Embeddings        uint64
	EmbeddedDocuments uint64
	FieldDistribution []FacetValue
	// InternalSizes is shown on request only.
	InternalSizes []FacetValue
}

// StatsForm says how the figures are shown.
type StatsForm struct {
	Human    bool // sizes as text
	Internal bool // with internal sizes
	Newer    bool // with what 1.53 added
}

// TaskCounts are the counters of the metrics route.
type TaskCounts struct {
	Statuses, Types, Indexes []FacetValue
	// QueueLatencySeconds is the age of the oldest unfinished task, 0 for none.
	QueueLatencySeconds float64
	// UsedBytes is how much of the task store is used; of its TaskStoreBytes, two
	// fifths may be.
	UsedBytes uint64
	// Running are the steps of running batches, as the part that is done.
	Running []BatchSteps
	// Finished are the steps of the batch that finished last, in milliseconds; nil
	// when there was none.
	Finished *BatchSteps
	// Indexed is the last batch that changed documents, nil when that is long ago.
	Indexed *IndexedBatch
}

// TaskStoreBytes is the size of the reference's task store. Ours grows, but is
// measured by it.
const TaskStoreBytes = 21474836480

// BatchSteps are figures about the steps of a batch.
type BatchSteps struct {
	UID   uint32
	Steps []BatchStep
}

// BatchStep is one step and its figure.
type BatchStep struct {
	Name  string
	Value float64
}

// IndexedBatch is what a batch did to documents.
type IndexedBatch struct {
	UID            uint32
	Index          string
	Documents      uint64
	DurationMillis int64
}

// AppendJSON appends the figures in the order of the reference.
func (s *Stats) AppendJSON(dst []byte, form StatsForm) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	writeSize(&o, "databaseSize", s.DatabaseSize, form)
	writeSize(&o, "usedDatabaseSize", s.UsedDatabaseSize, form)
	o.Time("lastUpdate", s.LastUpdate)
	o.Member("indexes")
	indexes := jsonvalue.ObjectWriter{Buf: o.Buf}
	for i := range s.Indexes {
		indexes.Key(s.Indexes[i].Name)
		indexes.Buf = s.Indexes[i].Value.AppendJSON(indexes.Buf, form)
	}
	o.Buf = indexes.End()
	return o.End()
}

// AppendJSON appends the figures of one index.
func (s *IndexStats) AppendJSON(dst []byte, form StatsForm) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Count("numberOfDocuments", s.Documents)
	if form.Newer {
		writeSize(&o, "indexSize", s.Bytes, form)
		writeSize(&o, "usedIndexSize", s.Bytes, form)
	}
	writeSize(&o, "rawDocumentDbSize", s.RawDocumentBytes, form)
	writeSize(&o, "avgDocumentSize", s.AvgDocumentBytes, form)
	o.Member("isIndexing")
	if s.IsIndexing {
		o.Buf = append(o.Buf, "true"...)
	} else {
		o.Buf = append(o.Buf, "false"...)
	}
	if form.Internal {
		o.Member("internalDatabaseSizes")
		sizes := jsonvalue.ObjectWriter{Buf: o.Buf}
		for _, v := range s.InternalSizes {
			sizes.Key(v.Value)
			sizes.Buf = appendSize(sizes.Buf, v.Count, form)
		}
		o.Buf = sizes.End()
	}
	o.Count("numberOfEmbeddings", s.Embeddings)
	o.Count("numberOfEmbeddedDocuments", s.EmbeddedDocuments)
	o.Member("fieldDistribution")
	fields := jsonvalue.ObjectWriter{Buf: o.Buf}
	for _, f := range s.FieldDistribution {
		fields.Key(f.Value)
		fields.Buf = strconv.AppendUint(fields.Buf, f.Count, 10)
	}
	o.Buf = fields.End()
	return o.End()
}

func writeSize(o *jsonvalue.ObjectWriter, name string, bytes uint64, form StatsForm) {
	o.Member(name)
	o.Buf = appendSize(o.Buf, bytes, form)
}

func appendSize(dst []byte, bytes uint64, form StatsForm) []byte {
	if form.Human {
		return jsonvalue.AppendString(dst, jsonvalue.HumanBinarySize(bytes))
	}
	return strconv.AppendUint(dst, bytes, 10)
}
