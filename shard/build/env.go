package build

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/extract"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/text/dictionary"
	"shoal/wire"
	"shoal/wire/same"
)

// Env is what builds need from the node. It is shared by all shards and not modified.
type Env struct {
	Store  *store.Store
	Limits store.Limits
	// Bytes is the memory that one build may use before it spills.
	Bytes int64
	// OpenPayload opens the staged content of a payload that is not inline.
	OpenPayload func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error)
	// Embed computes the vectors of documents. With nil, embedders that call a service
	// are refused.
	Embed EmbedFunc
	// Workers is the number of goroutines of one build.
	Workers int
	// Derived counts the documents that builds turned into keys, over all builds.
	Derived *atomic.Uint64
	// Heavy is called when a build begins that creates much garbage. The builder calls
	// over when the build ends. May be nil.
	Heavy func() (over func())
	// Pacer returns a function for one goroutine of a build, which calls it regularly.
	// The function may wait while searches run. May be nil.
	Pacer func() (pace func(ctx context.Context) error)
}

// pacer returns a pace for one goroutine; see Env.
func (e *Env) pacer() func(ctx context.Context) error {
	if e.Pacer == nil {
		return func(context.Context) error { return nil }
	}
	return e.Pacer()
}

// pacedOps is the number of ops between calls of the pace.
const pacedOps = 64

// paced passes ops on at the pace of one goroutine.
func (e *Env) paced(ctx context.Context, emit func(store.Op) error) func(store.Op) error {
	pace, n := e.pacer(), 0
	return func(o store.Op) error {
		if n++; n%pacedOps == 0 {
			if err := pace(ctx); err != nil {
				return err
			}
		}
		return emit(o)
	}
}

// Plans caches the last extraction plan of a shard, because most batches share it. Safe
// for concurrent use.
type Plans struct {
	mu     sync.Mutex
	plan   *extract.Plan
	planOf *settings.Settings // settings of the plan
	cutBy  dictionary.Set
}

// of returns the extraction plan of settings and fields.
func (k *Plans) of(raw []byte, fields []string, dictionaries dictionary.Set) (*extract.Plan, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, err := version.DecodeSettings(raw) // the same pointer as long as the plan holds them
	if err != nil {
		return nil, err
	}
	if k.plan != nil && k.planOf == s && k.cutBy == dictionaries && k.plan.Of(fields) {
		return k.plan, nil
	}
	of := planKey{s, dictionaries, wire.FieldsKey(fields)}
	plan, err := plansHeld.Of(of, func() (*extract.Plan, error) { return extract.NewPlan(s, fields, dictionaries) })
	if err != nil {
		return nil, err
	}
	k.plan, k.planOf, k.cutBy = plan, s, dictionaries
	return plan, nil
}

// plansHeld are the plans of shards of this process. Indexes with the same fields and
// settings share one.
var plansHeld same.Values[planKey, extract.Plan]

// planKey determines a plan.
type planKey struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	fields       string
}
