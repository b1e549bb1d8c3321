package chat

import (
	"slices"

	"shoal/api"
	"shoal/api/jsonvalue"
)

// call is a function that the model wants called; its parts come one by one.
type call struct {
	index    uint64
	id, name string
	// arguments is JSON in a text.
	arguments string
}

func (c *call) appendTo(dst []byte) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"id":`...), c.id)
	dst = jsonvalue.AppendString(append(dst, `,"type":"function","function":{"name":`...), c.name)
	return append(jsonvalue.AppendString(append(dst, `,"arguments":`...), c.arguments), `}}`...)
}

// calls are those of one round, by the order in which they began.
type calls []call

// add takes one part in. It reports false for what is none.
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

// searches are the calls of the one function that there is.
func (c calls) searches() []call {
	return slices.DeleteFunc(slices.Clone(c), func(one call) bool { return one.name != api.ChatFunctionSearch })
}

// wanted is what a call asks for.
type wanted struct {
	uid       string
	q, filter *string
}

// read reads the arguments; fault says what is wrong with them.
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
