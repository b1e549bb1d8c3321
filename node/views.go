package node

import (
	"context"
	"errors"

	"shoal/api"
	"shoal/query/script"
	"shoal/shard"
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/shard/listing"
	"shoal/shard/session"
	"shoal/wire"
)

// filterView evaluates the filter of a deletion or an edit.
func filterView(v *shard.View, raw []byte) (docset.Set, error) {
	return filter.Evaluator(shard.NewLens(v), api.CodeInvalidDocumentFilter)(raw)
}

// editorOf compiles a function that edits documents.
func editorOf(function []byte) (shard.Editor, error) { return script.NewEditor(function) }

// listView lists documents.
func listView(_ context.Context, v *shard.View, r *wire.ListRequest) (*wire.ListReply, error) {
	return listing.List(shard.NewLens(v), r)
}

// openExecutor opens the executor of a search, which takes the View over.
func openExecutor(_ context.Context, v *shard.View, _ *wire.SearchOpen) (shard.Session, error) {
	lens := shard.NewLens(v)
	return &executor{Session: session.New(lens, lens.Render), view: v}, nil
}

// executor is a session that owns its View.
type executor struct {
	*session.Session
	view *shard.View
}

// Close ends the session and lets go of the View.
func (e *executor) Close() error { return errors.Join(e.Session.Close(), e.view.Close()) }
