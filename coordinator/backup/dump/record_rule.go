package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"shoal/api"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/pinning"
	"shoal/coordinator/task"
	"shoal/wire"
)

// ruleFolder holds the dynamic search rules as the reference keeps them: as documents of an
// index. Dumps of our own have them in rulesFile, too, because the reference does not know all
// actions.
const ruleFolder = "indexes/" + task.RulesIndex + "/"

// ruleSettings are the settings that the reference gives to that index.
const ruleSettings = `{"searchableAttributes":["conditions.query.words","description"],"filterableAttributes":[` +
	`{"attributePatterns":["active"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}},` +
	`{"attributePatterns":["conditions.time.start"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":true}}},` +
	`{"attributePatterns":["conditions.time.end"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":true}}},` +
	`{"attributePatterns":["conditions.query.isEmpty"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}},` +
	`{"attributePatterns":["conditions.filter.values.*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":true}}},` +
	`{"attributePatterns":["conditions.filter.nbConstraints"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":true}}}],` +
	`"sortableAttributes":["lastUpdatedAt","precedence"],"proximityPrecision":"byAttribute",` +
	`"typoTolerance":{"enabled":false,"disableOnNumbers":true},"facetSearch":false,"prefixSearch":"disabled"}`

// ruleLine is a rule as a document of the reference.
type ruleLine struct {
	UID           string          `json:"uid"`
	Description   *string         `json:"description,omitempty"`
	LastUpdatedAt date            `json:"lastUpdatedAt"`
	Precedence    *uint64         `json:"precedence,omitempty"`
	Active        bool            `json:"active"`
	Conditions    ruleConditions  `json:"conditions"`
	Actions       json.RawMessage `json:"actions"`
}

type ruleConditions struct {
	Time   json.RawMessage `json:"time,omitempty"`
	Query  json.RawMessage `json:"query,omitempty"`
	Filter *ruleFilter     `json:"filter,omitempty"`
}

// ruleFilter is a condition on filters. Constraints counts its values.
type ruleFilter struct {
	Values      map[string]json.RawMessage `json:"values"`
	Constraints *int                       `json:"nbConstraints,omitempty"`
}

// ruleIndex writes the rules in both forms.
func (w *dumpWriter) ruleIndex(stored json.RawMessage) error {
	if err := w.bytes(rulesFile, stored); err != nil {
		return err
	}
	store := new(pinning.Store)
	if err := json.Unmarshal(stored, store); err != nil {
		return fmt.Errorf("dynamic search rules: %w", err)
	}
	rules := store.Rules()
	if len(rules) == 0 {
		return nil
	}
	key, made, changed := "uid", int64(math.MaxInt64), int64(0)
	for _, r := range rules {
		made, changed = min(made, r.UpdatedAt), max(changed, r.UpdatedAt)
	}
	if err := w.json(ruleFolder+"metadata.json", &indexLine{task.RulesIndex, &key, date(made), date(changed)}); err != nil {
		return err
	}
	if err := w.bytes(ruleFolder+"settings.json", []byte(ruleSettings)); err != nil {
		return err
	}
	return w.stream(ruleFolder+"documents.jsonl", func(out io.Writer) error {
		for _, r := range rules {
			line, err := writeRule(r)
			if err != nil {
				return err
			}
			if err := writeLine(out, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeRule returns a rule as the reference knows it: with pins only.
func writeRule(r *api.SearchRule) (*ruleLine, error) {
	known := *r
	known.Actions = api.RuleActions{Pins: r.Actions.Pins}
	line := new(ruleLine)
	if err := json.Unmarshal(known.AppendJSON(nil, false), line); err != nil {
		return nil, fmt.Errorf("rule %q: %w", r.UID, err)
	}
	if f := line.Conditions.Filter; f != nil {
		n := 0
		for _, v := range f.Values {
			var several []json.RawMessage
			if json.Unmarshal(v, &several) == nil {
				n += len(several)
			} else {
				n++
			}
		}
		f.Constraints = &n
	}
	return line, nil
}

// rule adds a rule of the reference to those of the dump, if all of it is known here.
func (c *contents) rule(line []byte) error {
	var r ruleLine
	if err := json.Unmarshal(line, &r); err != nil {
		return damaged("search rule: %w", err)
	}
	if r.Conditions.Filter != nil {
		r.Conditions.Filter.Constraints = nil
	}
	patch := map[string]any{"active": r.Active, "conditions": r.Conditions, "actions": r.Actions}
	if r.Description != nil {
		patch["description"] = r.Description
	}
	if r.Precedence != nil {
		patch["precedence"] = r.Precedence
	}
	update, err := encode(patch)
	if err != nil {
		return err
	}
	next, err := c.documentRules.Apply(&pinning.Change{UID: r.UID, Update: update}, int64(r.LastUpdatedAt))
	switch {
	case errors.Is(err, pinning.ErrChange):
		c.strangeRules++
	case err != nil:
		return err
	default:
		c.documentRules = next
	}
	return nil
}

// restoredRules returns the rules of a dump as the cluster stores them, nil for none.
func (c *contents) restoredRules() (json.RawMessage, error) {
	if c.rules != nil || c.documentRules.Len() == 0 {
		return c.rules, nil
	}
	stored, err := c.documentRules.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return stored, restore.CheckRules(stored)
}

// ruleForm is a change of a rule in a task of the reference. Whole is the update if the
// reference does not know all of its actions; Update has the rest.
type ruleForm struct {
	Put *struct {
		UID    string          `json:"rule_id"`
		Update json.RawMessage `json:"update"`
		Whole  json.RawMessage `json:"shoalUpdate,omitempty"`
	} `json:"createOrUpdate,omitempty"`
	Delete *string `json:"deletion,omitempty"`
}

// writeRuleTask returns parameters and details of a change of a rule.
func writeRuleTask(t *wire.Task) (parameters, details json.RawMessage, err error) {
	c := readRuleChange(t.Body)
	if c == nil {
		return tagged(string(t.Kind), orNull(t.Body)), nil, nil // imported, and not known here
	}
	form := tagged("deletion", quoted(c.UID))
	if len(c.Update) > 0 {
		update, err := c.Earlier()
		if err != nil {
			return nil, nil, err
		}
		put := object{{"rule_id", quoted(c.UID)}, {"update", update}}
		if string(update) != string(c.Update) {
			put = append(put, member{"shoalUpdate", c.Update})
		}
		form = tagged("createOrUpdate", put.encode())
	}
	if len(t.Details) > 0 {
		details = tagged("DsrUpdate", form)
	}
	return tagged(string(t.Kind), form), details, nil
}

// earlierRule returns the details of a batch, with the actions of a rule as the reference knows
// them. It could not read the dump otherwise.
func earlierRule(details json.RawMessage) json.RawMessage {
	have, err := decodeObject(details)
	if err != nil || len(have["rule"]) == 0 {
		return details
	}
	known, err := (&pinning.Change{Update: have["rule"]}).Earlier()
	if err != nil {
		return details
	}
	return bytes.Replace(details, have["rule"], known, 1)
}

// readRuleChange returns the change in our own form, nil if it is in neither form.
func readRuleChange(content json.RawMessage) *pinning.Change {
	var own pinning.Change
	if json.Unmarshal(content, &own) == nil && own.UID != "" {
		return &own // the form of earlier dumps
	}
	var f ruleForm
	switch {
	case json.Unmarshal(content, &f) != nil:
	case f.Delete != nil:
		return &pinning.Change{UID: *f.Delete}
	case f.Put != nil && len(f.Put.Whole) > 0:
		return &pinning.Change{UID: f.Put.UID, Update: f.Put.Whole}
	case f.Put != nil:
		return &pinning.Change{UID: f.Put.UID, Update: f.Put.Update}
	}
	return nil
}

// readRuleDetails returns the public details of a change of a rule, whose older form has its
// members.
func readRuleDetails(content json.RawMessage) (json.RawMessage, error) {
	c := readRuleChange(content)
	if c == nil {
		f, _ := task.DumpFormOf("DsrUpdate")
		return readForm(f, content)
	}
	var out object
	if len(c.Update) > 0 {
		out = object{{"rule", c.Update}}
	}
	return append(out, member{"updatedRules", json.RawMessage("1")}).encode(), nil
}
