package api

import "strconv"

// Stats are the figures of the whole instance (spec tasks-auth-ops-api 10.3).
type Stats struct {
	DatabaseSize     uint64
	UsedDatabaseSize uint64
	LastUpdate       int64 // UnixNano, 0 = null
	// Indexes are sorted by uid.
	Indexes []Entry[IndexStats]
}

// IndexStats are the figures of one index. FieldDistribution is sorted by name.
type IndexStats struct {
	Documents         uint64
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
	o := object{buf: dst}
	writeSize(&o, "databaseSize", s.DatabaseSize, form)
	writeSize(&o, "usedDatabaseSize", s.UsedDatabaseSize, form)
	o.time("lastUpdate", s.LastUpdate)
	o.member("indexes")
	indexes := object{buf: o.buf}
	for i := range s.Indexes {
		indexes.key(s.Indexes[i].Name)
		indexes.buf = s.Indexes[i].Value.AppendJSON(indexes.buf, form)
	}
	o.buf = indexes.end()
	return o.end()
}

// AppendJSON appends the figures of one index.
func (s *IndexStats) AppendJSON(dst []byte, form StatsForm) []byte {
	o := object{buf: dst}
	o.count("numberOfDocuments", s.Documents)
	writeSize(&o, "rawDocumentDbSize", s.RawDocumentBytes, form)
	writeSize(&o, "avgDocumentSize", s.AvgDocumentBytes, form)
	o.member("isIndexing")
	if s.IsIndexing {
		o.buf = append(o.buf, "true"...)
	} else {
		o.buf = append(o.buf, "false"...)
	}
	if form.Internal {
		o.member("internalDatabaseSizes")
		sizes := object{buf: o.buf}
		for _, v := range s.InternalSizes {
			sizes.key(v.Value)
			sizes.buf = appendSize(sizes.buf, v.Count, form)
		}
		o.buf = sizes.end()
	}
	o.count("numberOfEmbeddings", s.Embeddings)
	o.count("numberOfEmbeddedDocuments", s.EmbeddedDocuments)
	o.member("fieldDistribution")
	fields := object{buf: o.buf}
	for _, f := range s.FieldDistribution {
		fields.key(f.Value)
		fields.buf = strconv.AppendUint(fields.buf, f.Count, 10)
	}
	o.buf = fields.end()
	return o.end()
}

func writeSize(o *object, name string, bytes uint64, form StatsForm) {
	o.member(name)
	o.buf = appendSize(o.buf, bytes, form)
}

func appendSize(dst []byte, bytes uint64, form StatsForm) []byte {
	if form.Human {
		return AppendString(dst, HumanBinarySize(bytes))
	}
	return strconv.AppendUint(dst, bytes, 10)
}
