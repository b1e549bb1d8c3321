package facet

import (
	"context"

	"shoal/shard/docset"
	"shoal/wire"
)

// Labels answers a FacetLabelsStep. columns caches labels among all documents; nil
// caches nothing.
func Labels(ctx context.Context, ix Index, columns *Columns, candidates docset.Set, step *wire.FacetLabelsStep) (*wire.FacetLabelsReply, error) {
	ix = within(ctx, ix)
	reply := &wire.FacetLabelsReply{Labels: make([]wire.FacetLabel, len(step.Forms))}
	var known labels
	var place finder
	if kept, _, _ := columns.look(step.Field); kept != nil && step.Whole {
		known, place.forms = columns.labelsOf(step.Field, kept), kept.forms
	}
	for i, form := range step.Forms {
		number, found := 0, false
		if known != nil {
			if number, found = place.find(form); found {
				if l := known[number].Load(); l != nil {
					reply.Labels[i] = *l
					continue
				}
				form = place.forms[number]
			}
		}
		l, err := label(ix, candidates, step.Whole, step.Field, form)
		if err != nil {
			return nil, err
		}
		if l.Text == form {
			l.Text = form // the same bytes once
		}
		if found && len(l.Text) <= len(form)+labelSlack {
			known[number].Store(&l)
		}
		reply.Labels[i] = l
	}
	return reply, nil
}
