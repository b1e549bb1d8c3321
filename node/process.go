package node

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"shoal/node/address"
	"shoal/node/closing"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/memory"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/view"
	"shoal/wire/span"
)

// process is what every part of a node needs: the options, the machine, the log, the data
// folder, and the life that ends its goroutines and closes what it opened.
type process struct {
	*life
	cfg    config.Config
	on     *machine.Machine
	cores  int
	frugal memory.BuildGC
	logs   *observe.Logs
	log    *slog.Logger
	folder *folder.Folder  // once it is open
	disk   *view.Disk      // of the data folder
	traces *observe.Traces // nil: none are sent
}

// openLogs opens the log, and bounds the memory of the process.
func (p *process) openLogs(context.Context) error {
	l, err := observe.NewLogs(p.on.Log, p.cfg.LogLevel, p.cfg.LogJSON)
	if err != nil {
		return err
	}
	p.logs, p.log = l, l.Logger()
	p.on.Files.Mended = func(path string) {
		p.log.Warn("a bit of a file had flipped and was put right: look at the disk and the memory of this machine", "file", path)
	}
	p.cores = p.on.Processors()
	if p.cfg.MemoryLimit == 0 {
		p.cfg.MemoryLimit = memory.Available() * 6 / 10
	}
	if p.on.Shared {
		return nil
	}
	if p.cfg.MemoryLimit > 0 && debug.SetMemoryLimit(-1) > 1<<60 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(memory.HeapLimit(p.cfg.MemoryLimit))
	}
	p.frugal.Steady(memory.BallastFor(p.cfg.MemoryLimit))
	return nil
}

// caution reports at the start which options have no effect. It warns of data that others
// can read or change, probably by mistake.
func (p *process) caution(context.Context) error {
	if len(p.cfg.NoEffect) > 0 {
		p.log.Info("options that are accepted and change nothing", "given", strings.Join(p.cfg.NoEffect, ", "))
	}
	for _, file := range p.cfg.ReadableSecrets {
		p.log.Warn("every user of this machine can read a secret: chmod 600 the file", "file", file)
	}
	if p.cfg.MasterKey == "" && p.cfg.Front && !address.LoopbackOnly(p.cfg.HTTPAddr) {
		p.log.Warn("there is no master key, and other machines can reach --http-addr: whoever does can read and change everything; start again with --master-key-file, whose first line may be the key that was made for you here",
			"http", p.cfg.HTTPAddr, "made", peer.RandomSecret())
	}
	return nil
}

func (p *process) openFolder(context.Context) error {
	f, err := folder.Open(p.on.Files, p.cfg.DBPath)
	if err != nil {
		return err
	}
	p.folder = f
	p.opened("data folder", f.Close)
	p.disk = view.NewDisk(p.on.Files, p.dir(folder.DirShards), f.Path) // the first is made with the first shard
	return nil
}

// openTraces starts sending spans if a collector is configured.
func (p *process) openTraces(context.Context) error {
	if p.cfg.OTLPEndpoint == "" {
		return nil
	}
	t, err := observe.NewTraces(p.cfg.OTLPEndpoint, observe.Traced{ID: string(p.folder.ID), Name: p.cfg.Name, Release: config.Release}, p.log.With("component", "traces"))
	if err != nil {
		return err
	}
	p.traces = t
	p.opened("traces", t.Close)
	p.ctx = span.Traced(p.ctx, t.Tracer)
	return nil
}

// tracer makes spans. It is nil if no collector is configured.
func (p *process) tracer() trace.Tracer {
	if p.traces == nil {
		return nil
	}
	return p.traces.Tracer
}

// sparingly is the log of a component that strangers can trigger.
func (p *process) sparingly(component string) *slog.Logger {
	return observe.Sparing(p.log.With("component", component))
}

// die is fail for the case that the open parts cannot be closed in order any more.
// Everything acknowledged is on disk.
func (p *process) die(what string, err error) { p.end(end{err: p.folder.Fault(what, err), dead: true}) }

// dir is a folder in the data folder.
func (p *process) dir(name string) string { return filepath.Join(p.folder.Path, name) }

// scratch is the folder of temporary files, which are always on the operating system's file
// system.
func (p *process) scratch() string { return cmp.Or(p.on.Files.Scratch, p.dir("tmp")) }

// life is the life of a process: what is open, the goroutines that run until it closes, and
// the reason why it ends by itself.
type life struct {
	begun time.Time
	fatal chan end        // first reason to stop
	stack []closing.Step  // what is open and what runs, in order
	ctx   context.Context // what goroutines inherit; close ends each by itself
}

// end is a reason to stop. dead means that nothing can be closed any more: the disk does
// not answer, or a store holds its locks for ever.
type end struct {
	err  error
	dead bool
}

func newLife() *life {
	return &life{begun: time.Now(), fatal: make(chan end, 1), ctx: context.Background()}
}

// opened adds one open part to the stack that close unwinds.
func (l *life) opened(name string, close func() error) {
	l.stack = append(l.stack, closing.Step{Name: name, Close: close})
}

// run starts a goroutine. close ends its context and waits for it before it closes what was
// opened earlier, because the goroutine may use that.
func (l *life) run(f func(context.Context)) {
	ctx, stop := context.WithCancel(l.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f(ctx)
	}()
	l.opened("background work", func() error {
		stop()
		<-ended
		return nil
	})
}

// fail makes Run end with this reason. Only the first reason counts.
func (l *life) fail(err error) { l.end(end{err: err}) }

func (l *life) end(why end) {
	select {
	case l.fatal <- why:
	default:
	}
}

// close ends and closes everything in reverse order. It joins all errors. It returns within
// closing.Limit.
func (l *life) close(log *slog.Logger) error {
	err := closing.Unwind(l.stack, closing.Slow, closing.Limit, log)
	l.stack = nil
	return err
}
