package admin

import (
	"context"
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
	"shoal/wire"
)

// Aliases are the second names of indexes.
type Aliases interface {
	// Aliases lists all aliases by name. They are shared: do not modify.
	Aliases() []*wire.Alias
	// Targets lists the uids of the indexes whose aliases match the patterns.
	Targets(patterns []string) []string
	// Turn points an alias to the index uid, and makes it if there is none. If from is set,
	// the alias must point there now.
	Turn(ctx context.Context, name, uid string, from *string) (*wire.Alias, error)
	// Remove removes an alias, or returns apierr.AliasNotFound.
	Remove(ctx context.Context, name string) error
}

// aliasRoutes are the rows of the aliases. Who turns an alias decides what its readers see,
// so they need a key with all actions.
func (h *Handlers) aliasRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/cluster/aliases", Actions: []string{"*"}, Serve: h.serveAliases},
		{Method: "PUT", Pattern: "/cluster/aliases/{alias}", Actions: []string{"*"}, Serve: h.serveTurnAlias, Leased: true, Body: aliasMembers},
		{Method: "DELETE", Pattern: "/cluster/aliases/{alias}", Actions: []string{"*"}, Serve: h.serveRemoveAlias, Leased: true, Status: http.StatusNoContent},
	}
}

// aliasView is an alias in answers.
type aliasView struct {
	Name  string `json:"name"`
	Index string `json:"index"`
}

func (h *Handlers) serveAliases(x *routing.Exchange) error {
	list := []aliasView{}
	for _, a := range h.Aliases.Aliases() {
		list = append(list, aliasView(*a))
	}
	return x.Answer(http.StatusOK, struct {
		Results []aliasView `json:"results"`
	}{list})
}

// aliasBody is the body of PUT /cluster/aliases/{alias}.
type aliasBody struct {
	Index string
	From  *string
}

var aliasMembers = decode.NewObject(
	decode.Plain("index", apierr.CodeInvalidIndexUID, decode.IndexUID, func(b *aliasBody) *string { return &b.Index }).Required(apierr.CodeMissingIndexUID),
	decode.Optional("from", apierr.CodeInvalidIndexUID, decode.IndexUID, func(b *aliasBody) **string { return &b.From }),
)

func (h *Handlers) serveTurnAlias(x *routing.Exchange) error {
	name, err := x.IndexUID()
	if err != nil {
		return err
	}
	var body aliasBody
	if err := routing.ReadBody(x, aliasMembers, &body); err != nil {
		return err
	}
	a, err := h.Aliases.Turn(x.Context(), name, body.Index, body.From)
	if err != nil {
		return err
	}
	return x.Answer(http.StatusOK, aliasView(*a))
}

func (h *Handlers) serveRemoveAlias(x *routing.Exchange) error {
	if err := h.Aliases.Remove(x.Context(), x.Param(0)); err != nil {
		return err
	}
	return x.Empty(http.StatusNoContent)
}

// tasksOf are the patterns of the indexes whose tasks the caller may see, nil for all: those
// of the key, and what the aliases among them point to now, because tasks name the index.
func (h *Handlers) tasksOf(x *routing.Exchange) []string {
	patterns := x.Auth.Indexes()
	if len(patterns) == 0 {
		return patterns
	}
	return append(patterns[:len(patterns):len(patterns)], h.Aliases.Targets(patterns)...)
}
