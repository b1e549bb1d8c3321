package chat

import (
	"slices"

	"shoal/api"
	"shoal/api/jsonvalue"
)

// call is a function call by the model. It arrives in parts.
type call struct {
	index    uint64
	id, name string
	// arguments is JSON text.
	arguments string
}

func (c *call) appendTo(dst []byte) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"id":`...), c.id)
	dst = jsonvalue.AppendString(append(dst, `,"type":"function","function":{"name":`...), c.name)
	return append(jsonvalue.AppendString(append(dst, `,"arguments":`...), c.arguments), `}}`...)
}

// calls are those of one round, in the order in which they began.
type calls []call

// add adds one part of a call; false for a malformed part.
func (c *calls) add(part *jsonvalue.Value) bool {
	if part.Kind() != jsonvalue.KindObject {
		return false
	}
	index := uint64(len(*c))
	if v := part.Get("index"); v != nil {
		index = v.Uint()
	}
	at := slices.IndexFunc(*c, func(one call) bool { return one.index == index })
	if at < 0 {
		at = len(*c)
		*c = append(*c, call{index: index})
	}
	one := &(*c)[at]
	if id := part.Get("id"); id != nil && one.id == "" {
		one.id = id.String()
	}
	function := part.Get("function")
	if function == nil {
		return true
	}
	if name := function.Get("name"); name != nil && one.name == "" {
		one.name = name.String()
	}
	if more := function.Get("arguments"); more != nil {
		one.arguments += more.String()
	}
	return true
}

// searches returns the calls of the search function, which is the only function.
func (c calls) searches() []call {
	return slices.DeleteFunc(slices.Clone(c), func(one call) bool { return one.name != api.ChatFunctionSearch })
}

// wanted is the content of a search call.
type wanted struct {
	uid       string
	q, filter *string
}

// read parses the arguments; fault describes an error in them.
func (c *call) read() (w wanted, fault string) {
	v, err := jsonvalue.Parse([]byte(c.arguments))
	if err != nil {
		return w, err.Error()
	}
	uid := v.Get("index_uid")
	if uid == nil || uid.Kind() != jsonvalue.KindString {
		return w, "missing field `index_uid`"
	}
	text := func(name string) *string {
		t := v.Get(name)
		if t == nil || t.Kind() != jsonvalue.KindString {
			return nil
		}
		s := t.String()
		return &s
	}
	w = wanted{uid: uid.String(), q: text("q"), filter: text("filter")}
	if w.filter != nil && *w.filter == "" {
		w.filter = nil
	}
	return w, ""
}
