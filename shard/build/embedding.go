package build

import (
	"context"
	"sync"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/wire"
)

// EmbedFunc computes vectors of inputs with the indexing side of an embedder, and tells
// seen of its calls. Errors are *apierr.Error with only the text of the failure,
// *InputError, or those of ctx.
type EmbedFunc func(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value, seen *Embedding) ([][]float32, error)

// InputError is the failure of one input of an embedder that accepts others.
type InputError struct {
	Input int // its index
	Fault *apierr.Error
}

func (e *InputError) Error() string { return e.Fault.Error() }

// Unwrap returns the failure without its place.
func (e *InputError) Unwrap() error { return e.Fault }

// Embedding counts what one build asks of embedders. It is the embed.Watcher of its calls.
// Safe for concurrent use.
type Embedding struct {
	mu      sync.Mutex
	figures wire.EmbedderFigures
}

// Figures returns the figures so far.
func (e *Embedding) Figures() wire.EmbedderFigures {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.figures
}

// Called counts a call that ended.
func (e *Embedding) Called(fault error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.figures.Requests++
	if fault != nil {
		e.figures.Failed++
		e.figures.LastError = fault.Error()
	}
}

// Waits counts a call that pauses until over is called.
func (e *Embedding) Waits() (over func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.figures.Waiting++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.figures.Waiting--
	}
}

// want counts documents that lack vectors.
func (e *Embedding) want(documents int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.figures.Wanted += uint64(documents)
}

// made counts documents that have their vectors.
func (e *Embedding) made(documents int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.figures.Documents += uint64(documents)
}
