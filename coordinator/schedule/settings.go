package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/schedule/expiry"
	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/embed/prompt"
	"shoal/query/filter"
	"shoal/text"
	"shoal/wire"
)

// readSettings reads the body of a settings task. Large settings and their details are in the
// payload.
func (d *docTask) readSettings(ctx context.Context, s *Scheduler) error {
	body, err := task.Decode[task.SettingsChange](d.Task)
	if err != nil {
		return err
	}
	if body.Patch != nil {
		d.settings = &task.LargeSettings{Patch: body.Patch}
		return nil
	}
	data, err := s.read(ctx, &d.Payload)
	if err != nil {
		return err
	}
	d.settings = &task.LargeSettings{}
	if err := wire.Unmarshal(data, d.settings); err != nil {
		return fmt.Errorf("task %d: settings: %w", d.UID, err)
	}
	known := *d.Task
	known.Details = d.settings.Details
	d.Task = &known
	return nil
}

// applySettings applies the changes of all tasks to the present settings, checks the result,
// and decides which groups of tables must be rebuilt (spec write-api 12.7 and 17.3).
func (p *docPlan) applySettings(ctx context.Context) error {
	var patches []*settings.Patch
	for _, d := range p.tasks {
		if d.shape != task.Settings || d.failure != nil {
			continue
		}
		patch := &settings.Patch{}
		if err := json.Unmarshal(d.settings.Patch, patch); err != nil {
			return &batchFailure{task.Internal(fmt.Errorf("task %d: settings: %w", d.UID, err))}
		}
		patches = append(patches, patch)
	}
	old := p.base.DecodedSettings()
	env := settings.Env{Normalize: text.New(text.Options{}).Lemmas, StopWord: text.StopWordForm, Templates: prompt.Check()}
	next, refused := settings.Apply(old, patches, env)
	if refused != nil {
		return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, refused))}
	}
	if next.BySameObject() && p.log.Catalog().Spoken() < wire.SameObjectSince { // it came with a dump
		return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, settings.RefuseSameObject()))}
	}
	if next.ExpiryAttribute != nil {
		if p.log.Catalog().Spoken() < wire.ExpirySince { // it came with a dump
			return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, settings.RefuseExpiry()))}
		}
		if !expiry.Possible(next) {
			return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, settings.UncomparableExpiry(*next.ExpiryAttribute)))}
		}
	}
	if next.ByInfix() && p.log.Catalog().Spoken() < wire.InfixSince {
		return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, settings.RefuseInfix()))}
	}
	if err := p.probeEmbedders(ctx, old, next); err != nil {
		return err
	}
	p.next.Settings = wire.EncodeSettings(next)
	if p.base.Documents() == 0 || p.form.Kind == fold.ClearSettings {
		return nil // there are no documents to rewrite
	}
	if !filter.ByPlace(old) && filter.ByPlace(next) && slices.Contains(p.next.Fields, "_geo") {
		// There may be no document with a place: later ones replaced those that had one.
		if !p.addFields(p.knownFields(), []string{"_geo.lat", "_geo.lng"}) {
			return p.tooManyNested()
		}
	}
	words, facets, vectors := settings.Effect(old, next)
	g := &p.next.Generations
	if words {
		g.Text++
	}
	if facets {
		g.Facet++
	}
	if vectors {
		g.Vector++
	}
	return nil
}
