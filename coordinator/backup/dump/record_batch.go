package dump

import (
	"encoding/json"

	"shoal/wire"
)

// batchLine is one line of batches/queue.jsonl. The enqueue date called earliest is the latest,
// and oldest is the first: the reference exchanges them.
type batchLine struct {
	UID        uint32          `json:"uid"`
	Details    json.RawMessage `json:"details"`
	Stats      json.RawMessage `json:"stats"`
	StartedAt  date            `json:"startedAt"`
	FinishedAt date            `json:"finishedAt"`
	EnqueuedAt *batchDates     `json:"enqueuedAt"`
	StopReason string          `json:"stopReason"`
}

type batchDates struct {
	Earliest date `json:"earliest"`
	Oldest   date `json:"oldest"`
}

func writeBatch(b *wire.Batch) *batchLine {
	line := &batchLine{
		UID: b.UID, Details: earlierRule(b.Details), Stats: b.Stats, StartedAt: date(b.StartedAt), FinishedAt: date(b.FinishedAt), StopReason: b.Strategy,
		EnqueuedAt: &batchDates{Earliest: date(b.EnqueuedAt[1]), Oldest: date(b.EnqueuedAt[0])},
	}
	if len(line.Details) == 0 {
		line.Details = json.RawMessage("{}")
	}
	return line
}

// readBatch decodes one line. The batch's tasks and enqueue dates come from the tasks.
func readBatch(data []byte) (*wire.Batch, error) {
	var l batchLine
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, damaged("batch: %w", err)
	}
	if l.UID == wire.NoBatch {
		return nil, damaged("batch: no number")
	}
	b := &wire.Batch{UID: l.UID, Details: given(l.Details), Stats: given(l.Stats), Strategy: l.StopReason, StartedAt: int64(l.StartedAt), FinishedAt: int64(l.FinishedAt)}
	if b.FinishedAt == 0 {
		b.FinishedAt = b.StartedAt
	}
	return b, nil
}
