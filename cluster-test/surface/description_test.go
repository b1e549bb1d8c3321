package surface

import (
	"encoding/json"
	"slices"
	"strings"
)

// description is what /openapi.json says, as far as the test reads it.
type description struct {
	Paths map[string]map[string]*operation
}

type operation struct {
	Parameters []struct {
		Name, In string
		Schema   *schema
	}
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]json.RawMessage

	seen map[string]bool // parameters and members that requests had
}

type schema struct {
	Properties map[string]*schema
	Items      *schema
	// AdditionalProperties is a schema, true or false.
	AdditionalProperties json.RawMessage
}

func (s *schema) others() *schema {
	var below schema
	if !strings.HasPrefix(string(s.AdditionalProperties), "{") || json.Unmarshal(s.AdditionalProperties, &below) != nil {
		return nil
	}
	return &below
}

// deepest is how many names a member may stand below the body: what is deeper is
// offered in all kinds by the tests of httpfront.
const deepest = 3

// members calls visit with every member that a schema knows.
func (s *schema) members(path []string, visit func(string)) {
	if s == nil || len(path) >= deepest {
		return
	}
	for name, below := range s.Properties {
		at := append(slices.Clone(path), name)
		visit("body." + strings.Join(at, "."))
		if !strings.HasSuffix(name, "Embedder") { // an embedder inside of one
			below.members(at, visit)
		}
	}
	s.Items.members(path, visit)
	if others := s.others(); others != nil {
		others.members(append(slices.Clone(path), "*"), visit)
	}
}

// uses calls visit with every member of a value that a schema knows.
func (s *schema) uses(value any, path []string, visit func(string)) {
	if s == nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, below := range v {
			if known := s.Properties[name]; known != nil {
				at := append(slices.Clone(path), name)
				visit("body." + strings.Join(at, "."))
				known.uses(below, at, visit)
			} else if others := s.others(); others != nil {
				others.uses(below, append(slices.Clone(path), "*"), visit)
			}
		}
	case []any:
		for _, item := range v {
			s.Items.uses(item, path, visit)
		}
	}
}

// wanted lists the parameters and members of an operation.
func (o *operation) wanted() []string {
	var list []string
	for _, p := range o.Parameters {
		if p.In == "query" {
			list = append(list, "?"+p.Name)
		}
	}
	if content, ok := o.RequestBody.Content["application/json"]; ok {
		content.Schema.members(nil, func(name string) { list = append(list, name) })
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// find returns the operation that a request goes to: the path with the fewest
// parameters that fits.
func (d *description) find(method, path string) (name string, o *operation) {
	segments, best := strings.Split(path, "/"), -1
	for pattern, operations := range d.Paths {
		parts, names := strings.Split(pattern, "/"), 0
		fits := len(parts) == len(segments)
		for i := 0; fits && i < len(parts); i++ {
			if strings.HasPrefix(parts[i], "{") {
				names++
			} else {
				fits = parts[i] == segments[i]
			}
		}
		if candidate := operations[strings.ToLower(method)]; fits && candidate != nil && (best < 0 || names < best) {
			name, o, best = method+" "+pattern, candidate, names
		}
	}
	return name, o
}
