package httpfront

import (
	"context"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
)

// Rules stores the dynamic search rules. Rules it returns are shared: they must
// not be modified.
type Rules interface {
	// Rules lists the rules of a page, and the number of all that match.
	Rules(q *api.SearchRuleQuery) (page []*api.SearchRule, total uint64)
	// Rule is api.SearchRuleNotFound when there is no such rule.
	Rule(uid string) (*api.SearchRule, error)
	// UpdateRule, DeleteRule and ClearRules enqueue a task each.
	UpdateRule(ctx context.Context, uid string, patch *api.SearchRulePatch, metadata *string) (*api.TaskSummary, error)
	DeleteRule(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error)
	ClearRules(ctx context.Context, metadata *string) (*api.TaskSummary, error)
}

// rulesRoutes are the rows of the dynamic search rules (spec search-api 14).
func (h *adminHandlers) rulesRoutes() []route {
	const rules, rule = "/dynamic-search-rules", "/dynamic-search-rules/{uid}"
	return []route{
		{Method: "POST", Pattern: rules, Actions: []string{"dynamicSearchRules.get"}, Serve: h.serveRules, Leased: true, Body: api.SearchRuleQueryFields},
		{Method: "DELETE", Pattern: rules, Actions: []string{"dynamicSearchRules.delete"}, Serve: h.serveClearRules, Leased: true, Enqueues: true, Query: metadataParameters},
		{Method: "GET", Pattern: rule, Actions: []string{"dynamicSearchRules.get"}, Serve: onRule(h.serveRule)},
		{Method: "PATCH", Pattern: rule, Actions: []string{"dynamicSearchRules.update"}, Serve: onRule(h.serveUpdateRule), Leased: true, Enqueues: true, Query: metadataParameters, Body: api.SearchRuleFields},
		{Method: "DELETE", Pattern: rule, Actions: []string{"dynamicSearchRules.delete"}, Serve: onRule(h.serveDeleteRule), Leased: true, Enqueues: true, Query: metadataParameters},
	}
}

// usingRules is the gate of the routes that change rules.
var usingRules = rulesGate("Using the `/dynamic-search-rules` routes")

// onRule refuses paths whose last part cannot be the uid of a rule: there is no
// such page, which the reference says in plain text.
func onRule(serve handler) handler {
	return func(x *exchange) error {
		if uid := x.param(0); !apierr.ValidIndexUID(uid) {
			return x.plain(http.StatusNotFound, apierr.InvalidIndexUIDText(uid))
		}
		return serve(x)
	}
}

func (h *adminHandlers) serveRules(x *exchange) error {
	q := api.SearchRuleQuery{Limit: 20}
	if err := readBody(x, api.SearchRuleQueryFields, &q); err != nil {
		return err
	}
	if err := rulesGate("Calling the `POST /dynamic-search-rules` route")(x.features()); err != nil {
		return err
	}
	list, total := h.Rules.Rules(&q)
	each := func(dst []byte, i int) []byte { return list[i].AppendJSON(dst) }
	return x.respond(http.StatusOK, api.AppendPage(x.buffer(), len(list), each, q.Offset, q.Limit, total))
}

func (h *adminHandlers) serveRule(x *exchange) error {
	if err := rulesGate("Calling the `GET /dynamic-search-rules/{:ruleUid}` route")(x.features()); err != nil {
		return err
	}
	rule, err := h.Rules.Rule(x.param(0))
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, rule.AppendJSON(x.buffer()))
}

func (h *adminHandlers) serveUpdateRule(x *exchange) error {
	var metadata *string
	if err := readQuery(x, metadataParameters, &metadata); err != nil {
		return err
	}
	var patch api.SearchRulePatch
	if err := readBody(x, api.SearchRuleFields, &patch); err != nil {
		return err
	}
	if err := usingRules(x.features()); err != nil {
		return err
	}
	return x.enqueued(http.StatusAccepted)(h.Rules.UpdateRule(x.context(), x.param(0), &patch, metadata))
}

// rulesDeletion reads what the deletions have in common.
func rulesDeletion(x *exchange) (metadata *string, err error) {
	if err := readQuery(x, metadataParameters, &metadata); err != nil {
		return nil, err
	}
	if err := usingRules(x.features()); err != nil {
		return nil, err
	}
	return metadata, nil
}

func (h *adminHandlers) serveDeleteRule(x *exchange) error {
	metadata, err := rulesDeletion(x)
	if err != nil {
		return err
	}
	return x.enqueued(http.StatusAccepted)(h.Rules.DeleteRule(x.context(), x.param(0), metadata))
}

func (h *adminHandlers) serveClearRules(x *exchange) error {
	metadata, err := rulesDeletion(x)
	if err != nil {
		return err
	}
	return x.enqueued(http.StatusAccepted)(h.Rules.ClearRules(x.context(), metadata))
}

// rulesGate is the gate of the routes of rules.
func rulesGate(doing string) func(settings.Features) *apierr.Error {
	return func(f settings.Features) *apierr.Error {
		if f.DynamicSearchRules {
			return nil
		}
		return apierr.FeatureNotEnabled(doing, "dynamic search rules", 884)
	}
}
