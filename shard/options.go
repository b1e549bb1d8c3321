package shard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/build"
	"shoal/shard/columnist"
	"shoal/shard/store"
	"shoal/wire"
)

// Options configure a Host. Dir and OpenPayload are required. Dependencies on other
// parts of the process are injected, so that shards know neither network nor log.
type Options struct {
	// Dir is the folder of the store and its staging area.
	Dir string
	// FS is the file system, nil for the operating system's.
	FS vfs.FS
	// Node names this node in replies.
	Node wire.NodeID
	Log  *slog.Logger
	// Budget bounds memory by use. Zero fields take defaults.
	Budget Budget
	// OpenPayload opens the staged content of a payload that is not inline.
	OpenPayload func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error)
	// Ship sends the output of write to the Receive method of another node's Host and
	// returns when that node has answered. Required with more than one replica.
	Ship func(ctx context.Context, node wire.NodeID, write func(io.Writer) error) error
	// Index looks an index up in this node's catalogue. With nil, the Host identifies
	// versions by their number alone.
	Index func(id uint32) (*wire.Index, bool)
	// Indexes returns all indexes of that catalogue. May be nil.
	Indexes func() []*wire.Index
	// TaskOver reports whether this node's log has a result for a task, or had one and
	// has removed the task since. A later call of Index must return a state at least as
	// new. With nil, unpublished deltas stay until their shard has a later version.
	TaskOver func(uid uint32) (bool, error)
	// Scrub configures the search for damage in table files.
	Scrub Scrub
	// Heavy is called when a build begins that creates much garbage. The Host calls
	// over when the build ends. May be nil.
	Heavy func() (over func())
	// Cores bounds the threads of one build and of the store's compactions. 0 means
	// GOMAXPROCS.
	Cores int
	// Embed computes the vectors of documents. With nil, embedders that call a service
	// are refused.
	Embed build.EmbedFunc
	// Fatal is called when the store cannot continue. It should end the process.
	Fatal func(error)
	// Now is the clock; only retention depends on it.
	Now func() time.Time

	limits   store.Limits
	blockMin int // of columns
}

// Scrub configures the reading of table files in the background.
type Scrub struct {
	// Every is the time between two passes; 0 disables them. The first pass begins
	// after First.
	Every, First time.Duration
	// Rate bounds reading, in bytes per second. 0 means 8 MiB.
	Rate int
}

func (o *Options) defaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Fatal == nil {
		o.Fatal = func(err error) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if o.Cores == 0 {
		o.Cores = runtime.GOMAXPROCS(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scrub.Rate == 0 {
		o.Scrub.Rate = 8 << 20
	}
	if o.limits == (store.Limits{}) {
		o.limits = store.DefaultLimits
	}
	if o.blockMin == 0 {
		o.blockMin = columnist.DefaultBlockMin
	}
	o.Budget.fill()
}
