package api

import (
	"strconv"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Stats are the statistics of the whole instance (spec tasks-auth-ops-api 10.3).
type Stats struct {
	DatabaseSize     uint64
	UsedDatabaseSize uint64
	LastUpdate       int64 // UnixNano, 0 = null
	// Indexes are sorted by uid.
	Indexes []decode.Entry[IndexStats]
}

// IndexStats are the statistics of one index. FieldDistribution is sorted by name.
type IndexStats struct {
	Documents uint64
	// Bytes is the size on the disk of the answering node; all of it is in use.
	Bytes             uint64
	RawDocumentBytes  uint64
	AvgDocumentBytes  uint64
	IsIndexing        bool
	Embeddings        uint64
	EmbeddedDocuments uint64
	FieldDistribution []FacetValue
	// InternalSizes is shown only on request.
	InternalSizes []FacetValue
}

// StatsForm selects how statistics are shown.
type StatsForm struct {
	Human    bool // sizes as text
	Internal bool // with internal sizes
	Newer    bool // with the members added by 1.53
}

// TaskCounts are the counters of the metrics route.
type TaskCounts struct {
	Statuses, Types, Indexes []FacetValue
	// QueueLatencySeconds is the age of the oldest unfinished task, 0 for none.
	QueueLatencySeconds float64
	// UsedBytes is the used part of the task store; up to two fifths of TaskStoreBytes may
	// be used.
	UsedBytes uint64
	// Running has the steps of running batches; a value is the part that is done.
	Running []BatchSteps
	// Finished has the steps of the batch that finished last, in milliseconds. Nil means
	// there was none.
	Finished *BatchSteps
	// Indexed is the last batch that changed documents, nil if that was long ago.
	Indexed *IndexedBatch
}

// TaskStoreBytes is the size of the reference's task store. Our store has no fixed size,
// but its usage is reported against this one.
const TaskStoreBytes = 21474836480

// BatchSteps holds one value per step of a batch.
type BatchSteps struct {
	UID   uint32
	Steps []BatchStep
}

// BatchStep is one step and its value.
type BatchStep struct {
	Name  string
	Value float64
}

// IndexedBatch tells how a batch changed documents.
type IndexedBatch struct {
	UID            uint32
	Index          string
	Documents      uint64
	DurationMillis int64
}

// AppendJSON appends the statistics in the order of the reference.
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

// AppendJSON appends the statistics of one index.
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
