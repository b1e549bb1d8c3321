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

// Store is the set of all rules, in order of creation. The zero value has none.
type Store struct{ rules []*rule }

// storedRule is the form of a rule in the catalogue. Rule is the patch that turns a new rule
// into it.
type storedRule struct {
	UID       string          `json:"uid"`
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
		s.rules = append(s.rules, prepare(made))
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
		dst = strconv.AppendInt(append(dst, `,"updatedAt":`...), r.UpdatedAt, 10)
		dst = r.patch().AppendJSON(append(dst, `,"rule":`...))
		dst = append(dst, '}')
	}
	return append(dst, ']', '}'), nil
}

// With returns the rules with r added. It replaces the rule with the same uid, or comes last.
func (s *Store) With(r *api.SearchRule) *Store {
	next := &Store{rules: slices.Clone(s.rules)}
	if i := slices.IndexFunc(next.rules, func(other *rule) bool { return other.UID == r.UID }); i >= 0 {
		next.rules[i] = prepare(r)
	} else {
		next.rules = append(next.rules, prepare(r))
	}
	return next
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
	if i >= 0 {
		next.rules[i] = prepare(changed)
	} else {
		next.rules = append(next.rules, prepare(changed))
	}
	return next, nil
}

// Len returns the number of rules.
func (s *Store) Len() int { return len(s.rules) }

// Get returns a rule, nil for none. It is shared: do not modify.
func (s *Store) Get(uid string) *api.SearchRule {
	for _, r := range s.rules {
		if r.UID == uid {
			return &r.SearchRule
		}
	}
	return nil
}
