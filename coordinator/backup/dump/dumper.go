package dump

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/documents"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/staged"
)

// Version is the release of the reference whose dumps this package writes.
const Version = "1.50.0"

// DumperConfig configures a Dumper.
type DumperConfig struct {
	Log       coordinator.Log
	Documents *documents.Documents
	Blobs     coordinator.Blobs
	// Dir is the folder of finished dumps (--dump-dir). A missing folder is created.
	Dir string
	// Now is the wall clock; nil = time.Now.
	Now      func() time.Time
	Progress *slog.Logger
}

// Dumper writes dumps on the leader. Its Dump is coordinator.Jobs.Dump.
type Dumper struct{ cfg DumperConfig }

// NewDumper returns a Dumper.
func NewDumper(cfg DumperConfig) *Dumper {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	return &Dumper{cfg}
}

// Dump writes <uid>.dump and returns the uid, which is its start time. No batch may run
// meanwhile. The file appears completely or not at all.
func (d *Dumper) Dump(ctx context.Context, t *wire.Task) (uid string, err error) {
	begun := d.cfg.Now().UTC()
	uid = strings.Replace(begun.Format("20060102-150405.000"), ".", "", 1)
	archive, err := newArchive(d.cfg.Dir, uid+".dump", begun)
	if err != nil {
		return "", err
	}
	w := &dumpWriter{Dumper: d, archiveWriter: archive, catalog: d.cfg.Log.Catalog(), task: t, begun: begun}
	if err := w.write(ctx); err != nil {
		return "", errors.Join(err, archive.Discard())
	}
	path, err := archive.Finish()
	if err != nil {
		return "", fmt.Errorf("dump %s: %w", uid, err)
	}
	d.cfg.Progress.Info("dump written", "file", path, "indexes", len(w.catalog.Indexes()), "took", d.cfg.Now().Sub(begun))
	return uid, nil
}

// dumpWriter is one dump being written.
type dumpWriter struct {
	*Dumper
	*archiveWriter
	catalog coordinator.Catalog
	task    *wire.Task
	begun   time.Time
}

func (w *dumpWriter) write(ctx context.Context) error {
	meta := map[string]string{"dumpVersion": "V6", "dbVersion": Version, "dumpDate": w.begun.Format(time.RFC3339Nano)}
	if err := w.json("metadata.json", meta); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{w.values, w.keys, w.indexes, w.tasks, w.batches} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rulesFile holds the dynamic search rules in our own form. The reference ignores it, and
// reads them from ruleFolder.
const rulesFile = "shoal/dynamic-search-rules.json"

// aliasesFile holds the uids of indexes by alias, if there are any. The reference has no aliases.
const aliasesFile = "shoal/aliases.json"

// chatFolder holds the settings of chats, one file per workspace.
const chatFolder = "chat-completions-settings/"

// values writes the values that a cluster has once.
func (w *dumpWriter) values(context.Context) error {
	log := w.cfg.Log
	if err := w.json("experimental-features.json", admin.NewFeatures(log, settings.Features{}).Features()); err != nil {
		return err
	}
	if err := w.json("network.json", admin.NewNetwork(log).Network()); err != nil {
		return err
	}
	if err := w.bytes("webhooks.json", writeWebhooks(admin.NewWebhooks(log, "", "").Webhooks())); err != nil {
		return err
	}
	if err := w.folder(strings.TrimSuffix(chatFolder, "/")); err != nil {
		return err
	}
	chats := admin.NewChats(log)
	for _, name := range chats.Workspaces() {
		if strings.ContainsAny(name, "/\x00") {
			w.cfg.Progress.Warn("a workspace whose name cannot be that of a file is not in the dump", "workspace", name)
			continue
		}
		if err := w.json(chatFolder+name+".json", chats.Settings(name)); err != nil {
			return err
		}
	}
	if aliases := w.catalog.Aliases(); len(aliases) > 0 {
		uids := map[string]string{}
		for _, a := range aliases {
			uids[a.Name] = a.Index
		}
		if err := w.json(aliasesFile, uids); err != nil {
			return err
		}
	}
	if rules := restore.StoredRules(w.catalog); rules != nil {
		if err := w.ruleIndex(rules); err != nil {
			return err
		}
	}
	body, err := task.Decode[task.Dump](w.task)
	if err != nil {
		return err
	}
	if uid := cmp.Or(restore.InstanceUID(w.catalog), body.InstanceUID); uid != "" {
		return w.bytes("instance_uid.uuid", []byte(uid))
	}
	return nil
}

// keys writes the keys that were captured when the dump was requested, the newest first.
func (w *dumpWriter) keys(context.Context) error {
	body, err := task.Decode[task.Dump](w.task)
	if err != nil {
		return err
	}
	list := body.Keys
	slices.SortStableFunc(list, func(a, b wire.Key) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	var out bytes.Buffer
	for i := range list {
		line, err := encode(writeKey(&list[i]))
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	return w.bytes("keys.jsonl", out.Bytes())
}

func (w *dumpWriter) indexes(ctx context.Context) error {
	if err := w.folder("indexes"); err != nil {
		return err
	}
	for _, x := range w.catalog.Indexes() {
		if err := w.index(ctx, x); err != nil {
			return fmt.Errorf("index %s: %w", x.UID, err)
		}
	}
	return nil
}

// indexLine is the metadata of one index.
type indexLine struct {
	UID        string  `json:"uid"`
	PrimaryKey *string `json:"primaryKey"`
	CreatedAt  date    `json:"createdAt"`
	UpdatedAt  date    `json:"updatedAt"`
}

func (w *dumpWriter) index(ctx context.Context, x *wire.Index) error {
	folder := "indexes/" + x.UID + "/"
	if err := w.json(folder+"metadata.json", &indexLine{x.UID, x.PrimaryKey, date(x.CreatedAt), date(x.UpdatedAt)}); err != nil {
		return err
	}
	if err := w.bytes(folder+"settings.json", settings.AppendClear(nil, x.DecodedSettings(), everything)); err != nil {
		return err
	}
	return w.stream(folder+"documents.jsonl", func(out io.Writer) error {
		_, err := w.cfg.Documents.Scan(ctx, x, nil, func(doc []byte) error {
			_, err := out.Write(append(oneLine(doc), '\n'))
			return err
		})
		return err
	})
}

// recordsAtOnce is how many tasks or batches are read at once.
const recordsAtOnce = 512

// batches come after tasks, so that the batch of every task is among them. A batch without
// tasks does no harm.
func (w *dumpWriter) batches(ctx context.Context) error {
	return w.stream("batches/queue.jsonl", func(out io.Writer) error {
		from := uint32(0)
		for ctx.Err() == nil {
			page, _, err := w.cfg.Log.Batches(&wire.TaskQuery{From: &from, Limit: recordsAtOnce, Reverse: true})
			if err != nil || len(page) == 0 {
				return err
			}
			for _, b := range page {
				if b.FinishedAt == 0 {
					continue // the batch of this dump
				}
				if err := writeLine(out, writeBatch(b)); err != nil {
					return err
				}
			}
			if from = page[len(page)-1].UID + 1; from == 0 {
				return nil
			}
		}
		return ctx.Err()
	})
}

func writeLine(out io.Writer, v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}

// tasks writes the queue up to the newest task, and the documents of unfinished imports.
func (w *dumpWriter) tasks(ctx context.Context) error {
	// Cancelations run while a dump is written. The newest catalogue includes those that ran
	// before this call. eachTask also visits those that run later.
	last, any := w.cfg.Log.Catalog().LastTask()
	lines := taskWriter{
		load: func(p *wire.Payload) ([]byte, error) { return w.load(ctx, p) },
		dump: w.task.UID, now: w.begun.UnixNano(),
	}
	if w.task.StartedAt != 0 {
		lines.now = max(lines.now, w.task.StartedAt)
	}
	var imports []*wire.Task
	err := w.stream("tasks/queue.jsonl", func(out io.Writer) error {
		if !any {
			return nil
		}
		return w.eachTask(ctx, last, func(t *wire.Task) error {
			line, err := lines.line(t)
			if errors.Is(err, wire.ErrNoBlob) {
				w.cfg.Progress.Warn("a task whose payload is lost is not in the dump", "task", t.UID)
				return nil
			}
			if err != nil || line == nil {
				return err
			}
			if t.Kind == task.DocumentAddition && t.Status <= wire.Processing {
				if err := w.there(ctx, t); errors.Is(err, wire.ErrNoBlob) {
					w.cfg.Progress.Warn("a task whose documents are lost is in the dump as failed", "task", t.UID)
					line.fail(apierr.PayloadLost(*t.IndexUID), lines.now)
				} else if err != nil {
					return err
				} else {
					imports = append(imports, t)
				}
			}
			return writeLine(out, line)
		})
	})
	if err != nil {
		return err
	}
	for _, t := range imports {
		if err := w.updateFile(ctx, t); err != nil {
			return fmt.Errorf("documents of task %d: %w", t.UID, err)
		}
	}
	return nil
}

// eachTask calls visit with the tasks up to last, ascending. It continues up to the newest task
// that canceled one of them.
func (w *dumpWriter) eachTask(ctx context.Context, last uint32, visit func(*wire.Task) error) error {
	from := uint32(0)
	for ctx.Err() == nil {
		page, _, err := w.cfg.Log.Tasks(&wire.TaskQuery{From: &from, Limit: recordsAtOnce, Reverse: true})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, t := range page {
			if t.UID > last {
				return nil
			}
			if t.CanceledBy != nil {
				last = max(last, *t.CanceledBy)
			}
			if err := visit(t); err != nil {
				return err
			}
		}
		if from = page[len(page)-1].UID + 1; from == 0 {
			return nil
		}
	}
	return ctx.Err()
}

// there checks whether a task's payload can be read.
func (w *dumpWriter) there(ctx context.Context, t *wire.Task) error {
	if t.Payload.Blob == nil {
		return nil
	}
	in, err := w.cfg.Blobs.Open(ctx, t.Payload.Blob)
	if err != nil {
		return err
	}
	return in.Close()
}

// load reads a payload other than documents.
func (w *dumpWriter) load(ctx context.Context, p *wire.Payload) (_ []byte, err error) {
	if p.Blob == nil {
		return p.Inline, nil
	}
	in, err := w.cfg.Blobs.Open(ctx, p.Blob)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return io.ReadAll(in)
}

// updateFile writes the documents of an enqueued import.
func (w *dumpWriter) updateFile(ctx context.Context, t *wire.Task) (err error) {
	body, err := task.Decode[task.Addition](t)
	if err != nil || body.Manifest.Documents == 0 {
		return err
	}
	var in io.Reader = bytes.NewReader(t.Payload.Inline)
	if t.Payload.Blob != nil {
		blob, openErr := w.cfg.Blobs.Open(ctx, t.Payload.Blob)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, blob.Close()) }()
		in = blob
	}
	frames, err := staged.NewReader(in)
	if err != nil {
		return err
	}
	return w.stream(fmt.Sprintf("tasks/update_files/%d.jsonl", t.UID), func(out io.Writer) error {
		for {
			f, _, err := frames.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if _, err := out.Write(append(oneLine(bytes.Clone(f.Document)), '\n')); err != nil {
				return err
			}
		}
	})
}

// writeWebhooks writes the webhooks by uuid, in clear.
func writeWebhooks(list []api.Webhook) json.RawMessage {
	var hooks object
	for _, h := range list {
		var headers object
		for _, e := range h.Headers {
			headers = append(headers, member{e.Name, quoted(e.Value)})
		}
		hooks = append(hooks, member{h.UUID, object{{"url", quoted(h.URL)}, {"headers", headers.encode()}}.encode()})
	}
	return object{{"webhooks", hooks.encode()}}.encode()
}
