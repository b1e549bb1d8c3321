package history

import (
	"encoding/json"
	"fmt"
)

// Shown returns the batch that a multi-search shows which asks for one group twice, 0 for
// none: all documents of the group, which are so many, must be of one batch, in both
// searches. The error says what else the answer shows.
func Shown(answer []byte, documents int) (batch int, err error) {
	var a struct {
		Results []struct {
			Hits []struct {
				Batch int `json:"batch"`
			} `json:"hits"`
		} `json:"results"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return 0, fmt.Errorf("answers %.300s: %w", answer, err)
	}
	if len(a.Results) != 2 {
		return 0, fmt.Errorf("answers %.300s: %d results, not 2", answer, len(a.Results))
	}
	for i, result := range a.Results {
		if k := len(result.Hits); k != 0 && k != documents {
			return 0, fmt.Errorf("shows %d documents, a batch has %d", k, documents)
		}
		now := 0
		for j, hit := range result.Hits {
			if now = hit.Batch; now != result.Hits[0].Batch {
				return 0, fmt.Errorf("shows batches %d and %d at once (hit %d)", result.Hits[0].Batch, now, j)
			}
		}
		if i == 1 && now != batch {
			return 0, fmt.Errorf("shows batch %d and then %d in one request", batch, now)
		}
		batch = now
	}
	return batch, nil
}
