package liquid

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/api/jsonvalue"
)

// itemBytes is the memory of a list element, without the value it refers to.
const itemBytes = 16

// data is a JSON value in templates. Printing or filtering a missing one stops the
// rendering. Lenient ones, in conditions, are nil there.
type data struct {
	json    *jsonvalue.Value
	path    string
	lenient bool
	// missing describes the request for a member that does not exist.
	missing *UnknownIndex
}

// UnknownIndex is the error about a member that does not exist.
type UnknownIndex struct {
	path, name string
	available  []string
}

func (e *UnknownIndex) Error() string {
	return "liquid: Unknown index\n  with:\n    variable=" + e.path + "\n    requested index=" + e.name +
		"\n    available indexes=" + strings.Join(e.available, ", ") + "\n"
}

// JSON makes a value for a template. path names it in messages.
func JSON(v *jsonvalue.Value, path string) any { return data{json: v, path: path} }

// Missing is a value that does not exist. Printing it fails with an UnknownIndex.
func Missing(path, name string) any { return data{missing: &UnknownIndex{path: path, name: name}} }

// List makes a list of values.
func List(items []any) any { return list(items) }

func (d data) isObject() bool { return d.missing == nil && d.json.Kind() == jsonvalue.KindObject }

func (d data) plain(b *Budget) any {
	if d.missing == nil {
		return d.present(b)
	}
	if !d.lenient {
		stop(d.missing)
	}
	return nil
}

// lenientPlain is the value, or nil if it is missing.
func (d data) lenientPlain(b *Budget) any {
	if d.missing != nil {
		return nil
	}
	return d.present(b)
}

func (d data) present(b *Budget) any {
	switch d.json.Kind() {
	case jsonvalue.KindNull:
		return nil
	case jsonvalue.KindBool:
		return d.json.Bool()
	case jsonvalue.KindString:
		return d.json.String()
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		if i, err := strconv.Atoi(d.json.JSON()); err == nil {
			return i
		}
		return d.json.Float()
	case jsonvalue.KindFloat:
		return d.json.Float()
	case jsonvalue.KindArray:
		members := d.json.Members()
		b.spend(itemBytes * len(members))
		out := make(list, len(members))
		for i := range members {
			out[i] = d.below(&members[i].Value, strconv.Itoa(i)).flat(b)
		}
		return out
	}
	return d
}

// flat is the value unless it is an array or object; those stay data.
func (d data) flat(b *Budget) any {
	if k := d.json.Kind(); k == jsonvalue.KindArray || k == jsonvalue.KindObject {
		return d
	}
	return d.present(b)
}

// below is a value inside d.
func (d data) below(v *jsonvalue.Value, name string) data {
	return data{json: v, path: d.path + "." + name, lenient: d.lenient}
}

// text prints an array or object: the concatenation of its values.
func (d data) text(b *Budget) string {
	var out strings.Builder
	Print(&out, d.json)
	b.look(out.Len())
	return out.String()
}

// Print writes a value as templates do. Arrays and objects are the concatenation of their
// values.
func Print(out *strings.Builder, v *jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.KindNull:
	case jsonvalue.KindString:
		out.WriteString(v.String())
	case jsonvalue.KindFloat:
		out.WriteString(strconv.FormatFloat(v.Float(), 'f', -1, 64))
	case jsonvalue.KindArray:
		for i := range v.Members() {
			Print(out, &v.Members()[i].Value)
		}
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			out.WriteString(m.Name)
			Print(out, &m.Value)
		}
	default:
		out.WriteString(v.JSON())
	}
}

// member looks a member up: by name in objects; by index (from the end if negative), first,
// last and size in arrays.
func (d data) member(key any) any {
	if d.missing != nil {
		return d
	}
	switch d.json.Kind() {
	case jsonvalue.KindObject:
		name, ok := key.(string)
		if !ok {
			break
		}
		if v := d.json.Get(name); v != nil {
			return d.below(v, name)
		}
		if name == "size" {
			return d.json.Len()
		}
	case jsonvalue.KindArray:
		if v, ok := d.item(key); ok {
			return v
		}
	case jsonvalue.KindString:
		if key == "size" {
			return utf8.RuneCountInString(d.json.String())
		}
	}
	return d.without(key)
}

// without stands for a member that d does not have.
func (d data) without(key any) data {
	unknown := &UnknownIndex{path: d.path}
	switch k := key.(type) {
	case string:
		unknown.name = k
	case int:
		unknown.name = strconv.Itoa(k)
	}
	if d.json.Kind() == jsonvalue.KindObject {
		for _, m := range d.json.Members() {
			unknown.available = append(unknown.available, m.Name)
		}
	}
	return data{missing: unknown, path: d.path, lenient: d.lenient}
}

func (d data) item(key any) (any, bool) {
	members := d.json.Members()
	at := 0
	switch k := key.(type) {
	case int:
		at = k
	case string:
		switch k {
		case "size":
			return len(members), true
		case "first":
		case "last":
			at = -1
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	if at < 0 {
		at += len(members)
	}
	if at < 0 || at >= len(members) {
		return nil, false
	}
	return d.below(&members[at].Value, strconv.Itoa(at)), true
}
