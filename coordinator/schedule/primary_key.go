package schedule

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/payload"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/staged"
)

// resolveKey determines the primary key of a batch of documents, the additions that fail before
// anything is built, and the new field names (spec write-api 6.7, 6.8, 7). Payloads that were
// staged under another key are staged again.
func (p *docPlan) resolveKey(ctx context.Context) error {
	named := p.namedKey()
	for _, d := range p.tasks {
		if d.shape != task.Add || d.failure != nil {
			continue
		}
		if err := p.keyOf(ctx, d, named); err != nil {
			return err
		}
	}
	if key := p.next.PrimaryKey; key != nil && p.base.PrimaryKey == nil && p.inferred == nil && !strings.Contains(*key, ".") {
		p.inferred = []string{*key}
	}
	return p.nameFields()
}

// namedKey returns the key that the first addition of the batch names.
func (p *docPlan) namedKey() *string {
	for _, d := range p.tasks {
		if d.add != nil {
			return d.add.PrimaryKey
		}
	}
	return nil
}

// keyOf processes one addition. It uses the batch's key if that is known, else it infers the
// key from this payload. Then it records the payload's failure under that key.
func (p *docPlan) keyOf(ctx context.Context, d *docTask, named *string) error {
	switch {
	case p.base.PrimaryKey != nil:
		if named != nil && *named != *p.base.PrimaryKey && d.manifest.Documents > 0 {
			d.failure = task.FailureOf(apierr.PrimaryKeyAlreadyExists(*p.base.PrimaryKey))
			return nil
		}
	case p.next.PrimaryKey != nil:
	case named != nil:
		p.next.PrimaryKey = named
	case d.manifest.Documents == 0:
		return nil
	default:
		if d.manifest.Long {
			if err := p.rescan(ctx, d, "", false); err != nil {
				return err
			}
		}
		first := make([]payload.Member, len(d.manifest.First))
		for i, name := range d.manifest.First {
			first[i].Name = name
		}
		if p.inferred == nil {
			p.inferred, p.inspected = d.manifest.First, d
		}
		key, refused := payload.InferPrimaryKey(first)
		if refused != nil {
			d.failure = task.FailureOf(refused)
			return nil
		}
		p.next.PrimaryKey = &key
	}
	return p.underKey(ctx, d, *p.next.PrimaryKey)
}

// underKey ensures that a payload's manifest and frames belong to the key.
func (p *docPlan) underKey(ctx context.Context, d *docTask, key string) error {
	if d.manifest.Documents == 0 {
		return nil
	}
	if d.manifest.Key == nil || *d.manifest.Key != key || d.manifest.Long && len(d.manifest.Fields) == 0 {
		if err := p.rescan(ctx, d, key, true); err != nil {
			return err
		}
	}
	d.failure = d.manifest.Failure
	if d.failure == nil {
		d.failure = d.manifest.Truncated
	}
	if d.failure == nil && d.manifest.Fault != "" {
		return &batchFailure{task.FailureOf(apierr.InternalInIndex(p.uid, d.manifest.Fault))}
	}
	return nil
}

// rescan reads a payload again, for its names (keyed is false) or to stage it under another
// key.
func (p *docPlan) rescan(ctx context.Context, d *docTask, key string, keyed bool) (err error) {
	in, err := p.payload(ctx, &d.Payload)
	if err != nil {
		return p.unreadable(ctx, d, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	old := d.manifest
	same := keyed && old.Key != nil && *old.Key == key
	spool := &ingest.Spool{Dir: p.cfg.Dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	var out io.Writer
	if keyed && !same {
		out = spool
	}
	m, err := ingest.Rescan(in, out, p.cfg.Dir, key, keyed)
	if err != nil {
		return p.unreadable(ctx, d, err)
	}
	m.Fault, m.Truncated = old.Fault, old.Truncated
	if !keyed {
		m.Key, m.Distinct, m.Failure, m.Long = old.Key, old.Distinct, old.Failure, old.Long
	}
	d.manifest = m
	if out == nil {
		return nil
	}
	d.payload = wire.Payload{RawSize: d.Payload.RawSize}
	if spool.File == nil {
		d.payload.Inline = bytes.Clone(spool.Mem.Bytes())
		return nil
	}
	content, err := spool.Open()
	if err != nil {
		return err
	}
	// The new blob belongs to this batch only. Nothing refers to it afterwards, and it is
	// collected like any other.
	d.payload.Blob, _, err = p.blobs.Stage(ctx, content, spool.Size)
	return err
}

// unreadable handles a payload that could not be read. A lost or damaged payload fails its
// task; other errors are retried.
func (p *docPlan) unreadable(ctx context.Context, d *docTask, err error) error {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, wire.ErrNoBlob):
		d.failure = p.lost(d, err)
		return nil
	case errors.Is(err, staged.ErrDamaged):
		d.failure = task.Internal(err)
		return nil
	}
	return err
}

// payload opens the content of a payload.
func (s *Scheduler) payload(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) {
	if p.Blob == nil {
		return io.NopCloser(bytes.NewReader(p.Inline)), nil
	}
	return s.blobs.Open(ctx, p.Blob)
}

// nameFields assigns field ids to new names: those inspected for inference (or the key), then
// the top-level names of all payloads in order, then nested ones. A payload whose own names
// exceed the limit fails and adds none. Nested names count only in documents as the batch leaves
// them, top-level ones in all.
func (p *docPlan) nameFields() error {
	known := p.knownFields()
	if !p.addFields(known, p.inferred) {
		if p.inspected == nil {
			return p.tooManyNested()
		}
		p.inspected.failure = task.FailureOf(apierr.TooManyFields())
	}
	for _, d := range p.tasks {
		if d.shape != task.Add || d.failure != nil {
			continue
		}
		if !p.addFields(known, d.manifest.Fields) {
			d.failure = task.FailureOf(apierr.TooManyFields())
			continue
		}
		p.nested = append(p.nested, d.manifest.Nested...)
	}
	if p.keepsEveryName() && !p.addFields(known, p.nested) {
		return p.tooManyNested()
	}
	return nil
}

// keepsEveryName tells whether the batch is one upload of which no document replaces another
// one, and no member another one. Otherwise only the builders know which names are left.
func (p *docPlan) keepsEveryName() bool {
	d := p.tasks[0]
	return len(p.tasks) == 1 && d.shape == task.Add && d.failure == nil && !d.add.SkipCreation &&
		d.manifest.Distinct == d.manifest.Documents && !d.manifest.Repeats
}

// addNested adds the names that builders met. They stand in the order of the uploads, so that it
// does not depend on the number of shards, and names that no upload lists come last.
func (p *docPlan) addNested(found []string) bool {
	met := make(map[string]struct{}, len(found))
	for _, n := range found {
		met[n] = struct{}{}
	}
	names := make([]string, 0, len(p.nested)+len(found))
	for _, n := range p.nested {
		if _, ok := met[n]; ok {
			names = append(names, n)
		}
	}
	return p.addFields(p.knownFields(), append(names, found...))
}

func (p *docPlan) knownFields() map[string]struct{} {
	known := make(map[string]struct{}, len(p.next.Fields))
	for _, n := range p.next.Fields {
		known[n] = struct{}{}
	}
	return known
}

// addFields appends the new ones among names. It returns false and changes nothing when the
// limit would be exceeded.
func (p *docPlan) addFields(known map[string]struct{}, names []string) bool {
	before := len(p.next.Fields)
	for _, n := range names {
		if _, ok := known[n]; ok {
			continue
		}
		if len(p.next.Fields) >= wire.MaxFields {
			for _, added := range p.next.Fields[before:] {
				delete(known, added)
			}
			p.next.Fields = slices.Delete(p.next.Fields, before, len(p.next.Fields))
			return false
		}
		known[n] = struct{}{}
		p.next.Fields = append(p.next.Fields, n)
	}
	return true
}
