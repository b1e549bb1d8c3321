package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/coordinator"
	"shoal/coordinator/queue"
	"shoal/coordinator/task"
	"shoal/wire"
)

// Stats answers the routes of statistics. Everything but sizes comes from the catalogue, so
// that all nodes answer alike. Safe for concurrent use.
type Stats struct {
	log coordinator.Log
	// sizes returns the size of this node's store and its used part, in bytes.
	sizes func() (total, used uint64)
	// IndexBytes, if set, returns the bytes of an index on this node's disk.
	IndexBytes func(id uint32) (uint64, error)
	// Progress is that of queue.Tasks, or nil.
	Progress func(ctx context.Context, batches []uint32) map[uint32][]byte
}

// NewStats returns the statistics. Without sizes they show the documents' own bytes.
func NewStats(log coordinator.Log, sizes func() (total, used uint64)) *Stats {
	return &Stats{log: log, sizes: sizes}
}

// Stats covers the indexes that match the patterns (nil for all).
func (s *Stats) Stats(_ context.Context, authorized []string) (*api.Stats, error) {
	out := &api.Stats{}
	indexing, all := s.indexing(), s.log.Catalog().Indexes()
	out.Indexes = make([]decode.Entry[api.IndexStats], 0, len(all))
	for _, index := range all {
		stats := indexStats(index)
		if err := s.addBytes(index.ID, &stats); err != nil {
			return nil, err
		}
		out.DatabaseSize += stats.RawDocumentBytes
		if authorized != nil && !api.MatchesIndex(authorized, index.UID) || coordinator.BeingCopied(index.UID) {
			continue
		}
		stats.IsIndexing = indexing[index.UID]
		out.LastUpdate = max(out.LastUpdate, index.UpdatedAt)
		out.Indexes = append(out.Indexes, decode.Entry[api.IndexStats]{Name: index.UID, Value: stats})
	}
	out.UsedDatabaseSize = out.DatabaseSize
	if s.sizes != nil {
		out.DatabaseSize, out.UsedDatabaseSize = s.sizes()
	}
	return out, nil
}

// IndexStats returns the statistics of one index.
func (s *Stats) IndexStats(_ context.Context, uid string) (*api.IndexStats, error) {
	index, ok := coordinator.Named(s.log.Catalog(), uid)
	if !ok {
		return nil, apierr.IndexNotFound(uid)
	}
	stats := indexStats(index)
	if err := s.addBytes(index.ID, &stats); err != nil {
		return nil, err
	}
	stats.IsIndexing = s.indexing()[index.UID]
	return &stats, nil
}

// addBytes sets the size on disk. An index whose files are not written yet, or are on other
// nodes only, counts with the size of its documents.
func (s *Stats) addBytes(id uint32, stats *api.IndexStats) (err error) {
	if s.IndexBytes != nil {
		stats.Bytes, err = s.IndexBytes(id)
	}
	stats.Bytes = max(stats.Bytes, stats.RawDocumentBytes)
	return err
}

// indexing returns the indexes with a running task.
func (s *Stats) indexing() map[string]bool {
	running := map[string]bool{}
	for _, t := range s.log.Pending() {
		if t.Status == wire.Processing && t.IndexUID != nil {
			running[*t.IndexUID] = true
		}
	}
	return running
}

// indexStats sums the statistics of the shards.
func indexStats(index *wire.Index) api.IndexStats {
	var out api.IndexStats
	for i := range index.Stats {
		s := &index.Stats[i]
		out.Documents += s.Documents
		out.Embeddings += s.Embeddings
		out.EmbeddedDocuments += s.EmbeddedDocuments
	}
	out.RawDocumentBytes = index.DocumentBytes()
	if keys := documentKeyBytes * out.Documents; out.Documents > 0 && out.RawDocumentBytes > keys {
		out.AvgDocumentBytes = (out.RawDocumentBytes - keys) / out.Documents
	}
	out.FieldDistribution = fieldDistribution(index.Stats)
	out.InternalSizes = []api.FacetValue{{Value: "documents", Count: out.RawDocumentBytes}}
	return out
}

// fieldDistribution counts the documents that have each field, by name.
func fieldDistribution(shards []wire.ShardStats) []api.FacetValue {
	n := 0
	for i := range shards {
		n += len(shards[i].Fields)
	}
	all := make([]api.FacetValue, 0, n)
	for i := range shards {
		for _, f := range shards[i].Fields {
			all = append(all, api.FacetValue{Value: f.Field, Count: f.Count})
		}
	}
	slices.SortFunc(all, func(a, b api.FacetValue) int { return strings.Compare(a.Value, b.Value) })
	out := all[:0]
	for _, f := range all {
		if last := len(out) - 1; last >= 0 && out[last].Value == f.Value {
			out[last].Count += f.Count
		} else {
			out = append(out, f)
		}
	}
	return slices.DeleteFunc(out, func(f api.FacetValue) bool { return f.Count == 0 })
}

// documentKeyBytes is the size of a document's key in the reference, which excludes the keys
// from the mean.
const documentKeyBytes = 8

// TaskCounts returns the counters of the metrics route.
func (s *Stats) TaskCounts(ctx context.Context) (*api.TaskCounts, error) {
	counts := &api.TaskCounts{}
	var firstErr error
	count := func(list *[]api.FacetValue, name string, q wire.TaskQuery) {
		_, total, err := s.log.Tasks(&q)
		firstErr = cmp.Or(firstErr, err)
		*list = append(*list, api.FacetValue{Value: name, Count: total})
	}
	for status := range queue.StatusNames {
		count(&counts.Statuses, queue.StatusNames[status], wire.TaskQuery{Statuses: []wire.Status{wire.Status(status)}})
	}
	for _, kind := range task.Kinds() {
		count(&counts.Types, string(kind), wire.TaskQuery{Kinds: []wire.Kind{kind}})
	}
	for _, index := range s.log.Catalog().Indexes() {
		count(&counts.Indexes, index.UID, wire.TaskQuery{IndexUIDs: []string{index.UID}})
	}
	if firstErr != nil {
		return nil, firstErr
	}
	if c, ok := s.log.Catalog().(coordinator.StoreFigures); ok {
		counts.UsedBytes = c.StoredTasks() * storedTaskBytes
	}
	if err := s.batchFigures(ctx, counts); err != nil {
		return nil, err
	}
	if pending := s.log.Pending(); len(pending) > 0 {
		counts.QueueLatencySeconds = time.Since(time.Unix(0, pending[0].EnqueuedAt)).Seconds()
	}
	return counts, nil
}

// Health returns wire.ErrUnavailable when a shard has no replica in sync.
func (s *Stats) Health(context.Context) error {
	for _, index := range s.log.Catalog().Indexes() {
		if coordinator.BeingCopied(index.UID) {
			continue
		}
		for i := range index.Shards {
			if !slices.ContainsFunc(index.Shards[i].Replicas, func(r wire.Replica) bool { return r.State == wire.InSync }) {
				return wire.ErrUnavailable
			}
		}
	}
	return nil
}
