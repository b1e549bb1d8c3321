package foreign

import (
	"sync/atomic"

	"shoal/api/apierr"
)

// overhead is about what a document takes in memory beside its bytes.
const overhead = 64

// room is what is left of the room for the documents of a page.
type room struct {
	read  atomic.Int64
	shown int // below 0: some found no room
}

func roomFor(bytes int) *room {
	r := &room{shown: bytes}
	r.read.Store(int64(bytes))
	return r
}

func (r *room) fault() error {
	if r.shown < 0 {
		return apierr.ForeignDocumentsTooLarge()
	}
	return nil
}

// replaced is a document whose values at, below or above some fields are replaced by documents.
func (r *room) replaced(raw []byte, fields []string, documents map[string][]byte) []byte {
	return rewritten(raw, fields, func(id string) ([]byte, bool) {
		body, ok := documents[id]
		if !ok || r.shown < len(body) {
			if ok {
				r.shown = -1
			}
			return nil, false
		}
		r.shown -= len(body)
		return body, true
	})
}
