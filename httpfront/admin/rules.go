package admin

import (
	"context"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// Rules stores the dynamic search rules. Returned rules are shared and must not be
// modified.
type Rules interface {
	// Rules lists the rules of a page, and the number of all matching rules.
	Rules(q *api.SearchRuleQuery) (page []*api.SearchRule, total uint64)
	// Rule returns api.SearchRuleNotFound if there is no such rule.
	Rule(uid string) (*api.SearchRule, error)
	// RuleTarget shows what pending tasks will make of a rule, TargetRules of all rules.
	RuleTarget(ctx context.Context, uid string) (*api.SearchRuleTarget, error)
	TargetRules(ctx context.Context, q *api.SearchRuleQuery) (*api.SearchRuleTargets, error)
	// UpdateRule, DeleteRule and ClearRules enqueue a task each.
	UpdateRule(ctx context.Context, uid string, patch *api.SearchRulePatch, metadata *string) (*api.TaskSummary, error)
	DeleteRule(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error)
	ClearRules(ctx context.Context, metadata *string) (*api.TaskSummary, error)
}

// RulesRoutes are the rows of the dynamic search rules (spec search-api 14).
func (h *Handlers) RulesRoutes() []routing.Route {
	const rules, rule = "/dynamic-search-rules", "/dynamic-search-rules/{uid}"
	return []routing.Route{
		{Method: "POST", Pattern: rules, Actions: []string{"dynamicSearchRules.get"}, Serve: h.serveRules, Leased: true, Reads: true, Body: api.SearchRuleQueryFields},
		{Method: "DELETE", Pattern: rules, Actions: []string{"dynamicSearchRules.delete"}, Serve: h.serveClearRules, Leased: true, Enqueues: true, Query: routing.MetadataParameters},
		{Method: "GET", Pattern: rule, Actions: []string{"dynamicSearchRules.get"}, Serve: onRule(h.serveRule)},
		{Method: "GET", Pattern: rule + "/target", Actions: []string{"dynamicSearchRules.get"}, Serve: onRule(h.serveRuleTarget), Leased: true},
		{Method: "PATCH", Pattern: rule, Actions: []string{"dynamicSearchRules.update"}, Serve: onRule(h.serveUpdateRule), Leased: true, Enqueues: true, Query: routing.MetadataParameters, Body: api.SearchRuleFields},
		{Method: "DELETE", Pattern: rule, Actions: []string{"dynamicSearchRules.delete"}, Serve: onRule(h.serveDeleteRule), Leased: true, Enqueues: true, Query: routing.MetadataParameters},
	}
}

// usingRules refuses the routes that change rules while their feature is off.
var usingRules = rulesGate("Using the `/dynamic-search-rules` routes")

// onRule refuses paths whose last part cannot be the uid of a rule. Like the reference, it
// answers 404 in plain text.
func onRule(serve routing.Handler) routing.Handler {
	return func(x *routing.Exchange) error {
		if uid := x.Param(0); !apierr.ValidIndexUID(uid) {
			return x.Plain(http.StatusNotFound, apierr.InvalidIndexUIDText(uid))
		}
		return serve(x)
	}
}

func (h *Handlers) serveRules(x *routing.Exchange) error {
	q := api.SearchRuleQuery{Limit: 20}
	if err := routing.ReadBody(x, api.SearchRuleQueryFields, &q); err != nil {
		return err
	}
	if err := rulesGate("Calling the `POST /dynamic-search-rules` route")(x.Features()); err != nil {
		return err
	}
	if q.ShowTarget {
		targets, err := h.Rules.TargetRules(x.Context(), &q)
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, targets.AppendJSON(x.Buffer(), q.Offset, q.Limit, h.Version.Newer()))
	}
	list, total := h.Rules.Rules(&q)
	each := func(dst []byte, i int) []byte { return list[i].AppendJSON(dst, h.Version.Newer()) }
	return x.Respond(http.StatusOK, api.AppendPage(x.Buffer(), len(list), each, q.Offset, q.Limit, total))
}

func (h *Handlers) serveRule(x *routing.Exchange) error {
	if err := rulesGate("Calling the `GET /dynamic-search-rules/{:ruleUid}` route")(x.Features()); err != nil {
		return err
	}
	rule, err := h.Rules.Rule(x.Param(0))
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, rule.AppendJSON(x.Buffer(), h.Version.Newer()))
}

func (h *Handlers) serveRuleTarget(x *routing.Exchange) error {
	if err := rulesGate("Calling the `GET /dynamic-search-rules/{:ruleUid}/target` route")(x.Features()); err != nil {
		return err
	}
	target, err := h.Rules.RuleTarget(x.Context(), x.Param(0))
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, target.AppendJSON(x.Buffer(), h.Version.Newer()))
}

func (h *Handlers) serveUpdateRule(x *routing.Exchange) error {
	var patch api.SearchRulePatch
	metadata, err := routing.ReadMetadataAndBody(x, api.SearchRuleFields, &patch)
	if err != nil {
		return err
	}
	if err := usingRules(x.Features()); err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Rules.UpdateRule(x.Context(), x.Param(0), &patch, metadata))
}

// rulesDeletion reads what all deletions have in common.
func rulesDeletion(x *routing.Exchange) (metadata *string, err error) {
	if metadata, err = routing.ReadMetadata(x); err != nil {
		return nil, err
	}
	if err := usingRules(x.Features()); err != nil {
		return nil, err
	}
	return metadata, nil
}

func (h *Handlers) serveDeleteRule(x *routing.Exchange) error {
	metadata, err := rulesDeletion(x)
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Rules.DeleteRule(x.Context(), x.Param(0), metadata))
}

func (h *Handlers) serveClearRules(x *routing.Exchange) error {
	metadata, err := rulesDeletion(x)
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Rules.ClearRules(x.Context(), metadata))
}

// rulesGate refuses a route of rules while the feature is off.
func rulesGate(doing string) func(settings.Features) *apierr.Error {
	return func(f settings.Features) *apierr.Error {
		if f.DynamicSearchRules {
			return nil
		}
		return apierr.FeatureNotEnabled(doing, "dynamic search rules", 884)
	}
}
