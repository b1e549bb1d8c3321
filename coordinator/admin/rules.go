package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/pinning"
	"shoal/coordinator/queue"
	"shoal/coordinator/task"
	"shoal/query/filter"
	"shoal/wire"
)

// ValueRules names the catalogue value that holds the dynamic search rules.
const ValueRules = "rules"

// SearchRules holds the dynamic search rules (spec search-api 14). They are stored in the
// catalogue and changed by tasks. Safe for concurrent use.
type SearchRules struct {
	stored sharedValue[pinning.Store]
	writer *queue.Writer
	// features returns the enabled features.
	features func() settings.Features
}

// NewSearchRules returns the rules of the cluster; writer enqueues their changes.
func NewSearchRules(log coordinator.Log, writer *queue.Writer, features func() settings.Features) *SearchRules {
	return &SearchRules{
		writer: writer, features: features,
		stored: sharedValue[pinning.Store]{log: log, name: ValueRules, fresh: func() *pinning.Store { return new(pinning.Store) }},
	}
}

// Rule returns a rule, which is shared, or api.SearchRuleNotFound.
func (s *SearchRules) Rule(uid string) (*api.SearchRule, error) {
	if r := s.stored.get().Get(uid); r != nil {
		return r, nil
	}
	return nil, api.SearchRuleNotFound(uid)
}

// Store returns the stored rules, shared: do not modify.
func (s *SearchRules) Store() *pinning.Store { return s.stored.get() }

// Rules lists the rules of a page, which are shared. total counts all matches.
func (s *SearchRules) Rules(q *api.SearchRuleQuery) (page []*api.SearchRule, total uint64) {
	return s.stored.get().List(q)
}

// Target returns the rules as they will be after all enqueued and running tasks, the present
// rules, and those tasks.
func (s *SearchRules) Target(ctx context.Context) (now, target *pinning.Store, tasks []*wire.Task, err error) {
	if err := s.stored.log.Barrier(ctx); err != nil {
		return nil, nil, nil, err
	}
	// Read the tasks first. A change that is applied in between is then applied twice, which
	// changes nothing, and is not missed.
	for _, t := range s.stored.log.Pending() {
		if t.Kind == task.DynamicRulesUpdate || t.Kind == task.DynamicRulesClear {
			tasks = append(tasks, t)
		}
	}
	now = s.stored.get()
	target, _, err = applied(now, tasks)
	return now, target, tasks, err
}

// RuleTarget returns a rule in its present and its future state, nil for none. It returns
// api.SearchRuleNotFound when there is none now and no task changes it.
func (s *SearchRules) RuleTarget(ctx context.Context, uid string) (*api.SearchRuleTarget, error) {
	now, target, tasks, err := s.Target(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.SearchRuleTarget{Current: now.Get(uid), Target: target.Get(uid)}
	for _, t := range tasks {
		changes, err := concerns(t, uid)
		if err != nil {
			return nil, err
		}
		if changes {
			out.TaskUIDs = append(out.TaskUIDs, t.UID)
		}
	}
	if out.Current == nil && len(out.TaskUIDs) == 0 {
		return nil, api.SearchRuleNotFound(uid)
	}
	return out, nil
}

// TargetRules lists the rules in their future state.
func (s *SearchRules) TargetRules(ctx context.Context, q *api.SearchRuleQuery) (*api.SearchRuleTargets, error) {
	now, target, tasks, err := s.Target(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.SearchRuleTargets{Rules: uint64(now.Len()), TargetRules: uint64(target.Len())}
	out.Page, out.Total = target.List(q)
	out.Changing = make([]bool, len(out.Page))
	for _, t := range tasks {
		out.TaskUIDs = append(out.TaskUIDs, t.UID)
		for i, r := range out.Page {
			changes, err := concerns(t, r.UID)
			if err != nil {
				return nil, err
			}
			out.Changing[i] = out.Changing[i] || changes
		}
	}
	return out, nil
}

// concerns tells whether a task changes or deletes the rule.
func concerns(t *wire.Task, uid string) (bool, error) {
	if t.Kind == task.DynamicRulesClear {
		return true, nil
	}
	change, err := task.Decode[pinning.Change](t)
	return err == nil && change.UID == uid, err
}

// UpdateRule enqueues a change of a rule, or its creation. It fails for filters of scales that
// cannot be parsed.
func (s *SearchRules) UpdateRule(ctx context.Context, uid string, patch *api.SearchRulePatch, metadata *string) (*api.TaskSummary, error) {
	if err := pinning.CheckActions(&patch.Actions.Value, filter.GatesOf(s.features())); err != nil {
		return nil, err
	}
	update := patch.AppendJSON(nil)
	details := fmt.Appendf(nil, `{"rule":%s,"updatedRules":1}`, update)
	return s.change(ctx, &pinning.Change{UID: uid, Update: update}, details, metadata)
}

// DeleteRule enqueues the deletion of a rule, whether it exists or not.
func (s *SearchRules) DeleteRule(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error) {
	return s.change(ctx, &pinning.Change{UID: uid}, []byte(`{"updatedRules":1}`), metadata)
}

func (s *SearchRules) change(ctx context.Context, c *pinning.Change, details []byte, metadata *string) (*api.TaskSummary, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return s.writer.UpdateRules(ctx, body, details, metadata)
}

// ClearRules enqueues the deletion of all rules.
func (s *SearchRules) ClearRules(ctx context.Context, metadata *string) (*api.TaskSummary, error) {
	return s.writer.ClearRules(ctx, metadata)
}

// ApplyRules is the scheduler's job Jobs.Rules. It applies the changes of the tasks to the
// stored rules. The result depends only on the stored rules and the tasks.
func ApplyRules(c coordinator.Catalog, tasks []*wire.Task) ([]wire.Change, [][]byte, error) {
	store := new(pinning.Store)
	if v, ok := c.Value(ValueRules); ok && len(v.JSON) > 0 {
		if err := json.Unmarshal(v.JSON, store); err != nil {
			return nil, nil, fmt.Errorf("coordinator: stored search rules: %w", err)
		}
	}
	store, details, err := applied(store, tasks)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := json.Marshal(store)
	if err != nil {
		return nil, nil, err
	}
	return []wire.Change{{PutValue: &wire.Value{Name: ValueRules, JSON: encoded}}}, details, nil
}

// applied applies the changes of tasks to rules. It returns the details of the tasks that get
// new ones.
func applied(store *pinning.Store, tasks []*wire.Task) (*pinning.Store, [][]byte, error) {
	details := make([][]byte, len(tasks))
	for i, t := range tasks {
		if t.Kind == task.DynamicRulesClear {
			details[i] = task.WithCount(t.Details, "deletedDocuments", uint64(store.Len()))
			store = new(pinning.Store)
			continue
		}
		change, err := task.Decode[pinning.Change](t)
		if err != nil {
			return nil, nil, err
		}
		next, err := store.Apply(change, t.EnqueuedAt)
		if errors.Is(err, pinning.ErrChange) {
			// The front checked it, so the task comes from another version.
			return nil, nil, fmt.Errorf("coordinator: task %s: %w", strconv.FormatUint(uint64(t.UID), 10), err)
		}
		if err != nil {
			return nil, nil, err
		}
		store = next
	}
	return store, details, nil
}
