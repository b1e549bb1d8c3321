package admin

import (
	"context"
	"strconv"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/coordinator"
	"shoal/wire"
)

// storedTaskBytes is the size charged for one stored task: a full store counts as 40 % used
// (spec tasks-auth-ops-api 4.2).
const storedTaskBytes = api.TaskStoreBytes * 2 / 5 / coordinator.MaxStoredTasks

// shownAfter is how long the last batch of documents is shown, in addition to its own duration
// (spec tasks-auth-ops-api 11).
const shownAfter = 5 * time.Minute

// recentBatches is the number of batches searched for it.
const recentBatches = 32

// batchFigures sets the metrics of running and recent batches.
func (s *Stats) batchFigures(ctx context.Context, counts *api.TaskCounts) error {
	recent, _, err := s.log.Batches(&wire.TaskQuery{Limit: recentBatches})
	if err != nil {
		return err
	}
	var running []uint32
	var last *wire.Batch
	for _, b := range recent {
		switch {
		case b.FinishedAt == 0:
			running = append(running, b.UID)
		case last == nil || b.FinishedAt > last.FinishedAt:
			last = b
		}
	}
	if last != nil {
		counts.Finished = &api.BatchSteps{UID: last.UID, Steps: traceOf(last.Stats)}
	}
	counts.Indexed = lastIndexed(recent, time.Now())
	if len(running) == 0 || s.Progress == nil {
		return nil
	}
	for uid, progress := range s.Progress(ctx, running) {
		counts.Running = append(counts.Running, api.BatchSteps{UID: uid, Steps: stepsOf(progress)})
	}
	return nil
}

// traceOf reads the steps of stored statistics, in milliseconds.
func traceOf(stats []byte) []api.BatchStep {
	v, err := jsonvalue.Parse(stats)
	if err != nil {
		return nil
	}
	spans := v.Get("progressTrace")
	if spans == nil {
		return nil
	}
	var steps []api.BatchStep
	for _, m := range spans.Members() {
		steps = append(steps, api.BatchStep{Name: m.Name, Value: float64(spanMillis(m.Value.String()))})
	}
	return steps
}

// spanMillis is the inverse of jsonvalue.HumanDuration, in whole milliseconds.
func spanMillis(text string) int64 {
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"ns", time.Nanosecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}} {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil {
				continue
			}
			return int64(n * float64(u.size) / float64(time.Millisecond))
		}
	}
	return 0
}

// stepsOf reads a public "progress" object and returns the completed fraction of each step.
func stepsOf(progress []byte) []api.BatchStep {
	v, err := jsonvalue.Parse(progress)
	if err != nil {
		return nil
	}
	list := v.Get("steps")
	if list == nil {
		return nil
	}
	var steps []api.BatchStep
	for i := range list.Members() {
		s := &list.Members()[i].Value
		name, finished, total := s.Get("currentStep"), s.Get("finished"), s.Get("total")
		if name == nil || finished == nil || total == nil || total.Float() == 0 {
			continue
		}
		steps = append(steps, api.BatchStep{Name: name.String(), Value: finished.Float() / total.Float()})
	}
	return steps
}

// lastIndexed returns the newest batch that changed documents of an index, if it is recent
// enough to be shown.
func lastIndexed(recent []*wire.Batch, now time.Time) *api.IndexedBatch {
	for _, b := range recent {
		if b.FinishedAt == 0 {
			continue
		}
		n, index := changedDocuments(b)
		if n == 0 {
			continue
		}
		took := time.Duration(b.FinishedAt - b.StartedAt)
		if now.After(time.Unix(0, b.FinishedAt).Add(took + shownAfter)) {
			return nil
		}
		return &api.IndexedBatch{UID: b.UID, Index: index, Documents: n, DurationMillis: took.Milliseconds()}
	}
	return nil
}

// changedDocuments counts the documents that a batch added, edited and deleted.
func changedDocuments(b *wire.Batch) (n uint64, index string) {
	details, err := jsonvalue.Parse(b.Details)
	if err != nil {
		return 0, ""
	}
	for _, name := range []string{"indexedDocuments", "editedDocuments", "deletedDocuments"} {
		if v := details.Get(name); v != nil && v.Kind() == jsonvalue.KindPositive {
			n += v.Uint()
		}
	}
	stats, err := jsonvalue.Parse(b.Stats)
	if err != nil {
		return 0, ""
	}
	indexes := stats.Get("indexUids")
	if indexes == nil || indexes.Len() != 1 {
		return 0, ""
	}
	return n, indexes.Members()[0].Name
}
