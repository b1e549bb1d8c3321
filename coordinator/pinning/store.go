package pinning

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Store is the set of all rules, in the order of their places. The zero value has none.
type Store struct{ rules []*rule }

// storedRule is the form of a rule in the catalogue. Rule is the patch that turns a new rule
// into it.
type storedRule struct {
	UID       string          `json:"uid"`
	Place     *int            `json:"place"` // nil in older catalogues: the next one
	UpdatedAt int64           `json:"updatedAt"`
	Rule      json.RawMessage `json:"rule"`
}

// UnmarshalJSON reads the form of MarshalJSON.
func (s *Store) UnmarshalJSON(data []byte) error {
	var stored struct {
		Rules []storedRule `json:"rules"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	s.rules = make([]*rule, 0, len(stored.Rules))
	for _, r := range stored.Rules {
		patch, err := parsePatch(r.Rule)
		if err != nil {
			return fmt.Errorf("rule %q: %w", r.UID, err)
		}
		made := api.NewSearchRule(r.UID)
		made.Apply(patch)
		made.UpdatedAt = r.UpdatedAt
		one := prepare(made)
		if one.place = s.end(); r.Place != nil {
			one.place = *r.Place
		}
		s.rules = append(s.rules, one)
	}
	return nil
}

func parsePatch(data []byte) (*api.SearchRulePatch, error) {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return nil, err
	}
	patch := new(api.SearchRulePatch)
	if err := api.SearchRuleFields.Decode(decode.BodyRoot(apierr.CodeBadRequest), &v, patch); err != nil {
		return nil, err
	}
	return patch, nil
}

// MarshalJSON encodes the rules for the catalogue.
func (s *Store) MarshalJSON() ([]byte, error) {
	dst := []byte(`{"rules":[`)
	for i, r := range s.rules {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonvalue.AppendString(append(dst, `{"uid":`...), r.UID)
		dst = strconv.AppendInt(append(dst, `,"place":`...), int64(r.place), 10)
		dst = strconv.AppendInt(append(dst, `,"updatedAt":`...), r.UpdatedAt, 10)
		dst = r.patch().AppendJSON(append(dst, `,"rule":`...))
		dst = append(dst, '}')
	}
	return append(dst, ']', '}'), nil
}

// With returns the rules with r added. It replaces the rule with the same uid, or comes last.
func (s *Store) With(r *api.SearchRule) *Store {
	next := &Store{rules: slices.Clone(s.rules)}
	if !next.replace(r) {
		one := prepare(r)
		one.place = next.end()
		next.rules = append(next.rules, one)
	}
	return next
}

// replace puts a rule in the place of that with the same uid. It reports whether there is one.
func (s *Store) replace(r *api.SearchRule) bool {
	i := slices.IndexFunc(s.rules, func(other *rule) bool { return other.UID == r.UID })
	if i < 0 {
		return false
	}
	one := prepare(r)
	one.place = s.rules[i].place
	s.rules[i] = one
	return true
}

// end is the place behind all rules.
func (s *Store) end() int {
	if len(s.rules) == 0 {
		return 0
	}
	return s.rules[len(s.rules)-1].place + 1
}

// add puts a new rule in the first free place. As in the reference, that of a deleted rule is free.
func (s *Store) add(r *api.SearchRule) {
	one, at := prepare(r), 0
	for at < len(s.rules) && s.rules[at].place == at {
		at++
	}
	one.place = at
	s.rules = slices.Insert(s.rules, at, one)
}

// patch returns the change that turns a new rule into this one.
func (r *rule) patch() *api.SearchRulePatch {
	p := &api.SearchRulePatch{Active: decode.Set(r.Active), Conditions: decode.Set(r.Conditions), Actions: decode.Set(r.Actions)}
	if r.Description != nil {
		p.Description = decode.Set(*r.Description)
	}
	if r.Precedence != nil {
		p.Precedence = decode.Set(*r.Precedence)
	}
	return p
}

// Change is the effect of one task on the rules, as its body holds it: a patch of one rule, or
// its deletion when Update is absent.
type Change struct {
	UID    string          `json:"uid"`
	Update json.RawMessage `json:"update,omitempty"`
}

// Earlier returns Update as version 1.50 understands it: all actions are pins, in a list.
func (c *Change) Earlier() (json.RawMessage, error) {
	patch, err := parsePatch(c.Update)
	if err != nil {
		return nil, errors.Join(ErrChange, err)
	}
	if a := &patch.Actions.Value; !a.Object && len(a.Scales) == 0 {
		return c.Update, nil
	}
	patch.Actions = decode.Set(api.RuleActions{Pins: patch.Actions.Value.Pins})
	return patch.AppendJSON(nil), nil
}

// ErrChange: the body of a task is not a Change.
var ErrChange = errors.New("not a change of a search rule")

// Apply returns the rules after a change at time at (UnixNano).
func (s *Store) Apply(c *Change, at int64) (*Store, error) {
	next := &Store{rules: slices.Clone(s.rules)}
	i := slices.IndexFunc(next.rules, func(r *rule) bool { return r.UID == c.UID })
	if len(c.Update) == 0 {
		if i >= 0 {
			next.rules = slices.Delete(next.rules, i, i+1)
		}
		return next, nil
	}
	patch, err := parsePatch(c.Update)
	if err != nil {
		return nil, errors.Join(ErrChange, err)
	}
	changed := api.NewSearchRule(c.UID)
	if i >= 0 {
		*changed = next.rules[i].SearchRule
	}
	changed.Apply(patch)
	changed.UpdatedAt = at
	if !next.replace(changed) {
		next.add(changed)
	}
	return next, nil
}

// Len returns the number of rules.
func (s *Store) Len() int { return len(s.rules) }

// Rules returns all rules in the order of their places. They are shared: do not modify.
func (s *Store) Rules() []*api.SearchRule {
	list := make([]*api.SearchRule, len(s.rules))
	for i, r := range s.rules {
		list[i] = &r.SearchRule
	}
	return list
}

// Get returns a rule, nil for none. It is shared: do not modify.
func (s *Store) Get(uid string) *api.SearchRule {
	for _, r := range s.rules {
		if r.UID == uid {
			return &r.SearchRule
		}
	}
	return nil
}
