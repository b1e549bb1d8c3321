package foreign

import (
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/api/payload"
	"shoal/query/filter"
)

// visit calls do with each id that stands at a path of a document. The members of the path may be
// nested or stand in one dotted name. A list ends at the first value that is no id.
func visit(document *jsonvalue.Value, path string, do func(id string)) {
	if v := document.Get(path); v != nil && v.Kind() == jsonvalue.KindArray {
		for i := range v.Members() {
			id, refused := payload.IDOf(&v.Members()[i].Value)
			if refused != nil {
				break
			}
			do(id)
		}
	} else if v != nil {
		if id, refused := payload.IDOf(v); refused == nil {
			do(id)
		}
	}
	for dot := strings.LastIndexByte(path, '.'); dot >= 0; dot = strings.LastIndexByte(path[:dot], '.') {
		v := document.Get(path[:dot])
		switch {
		case v == nil:
		case v.Kind() == jsonvalue.KindObject:
			visit(v, path[dot+1:], do)
		case v.Kind() == jsonvalue.KindArray:
			for i := range v.Members() {
				if m := &v.Members()[i].Value; m.Kind() == jsonvalue.KindObject {
					visit(m, path[dot+1:], do)
				}
			}
		}
	}
}

// rewritten is a document whose values at, below or above some fields are replaced where document
// has something for the id that they are.
func rewritten(raw []byte, fields []string, document func(id string) ([]byte, bool)) []byte {
	if len(raw) == 0 {
		return raw
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return raw
	}
	return appendRewritten(make([]byte, 0, len(raw)), &v, "", fields, document)
}

func appendRewritten(dst []byte, v *jsonvalue.Value, path string, fields []string, document func(id string) ([]byte, bool)) []byte {
	switch v.Kind() {
	case jsonvalue.KindObject:
		dst = append(dst, '{')
		for i := range v.Members() {
			m := &v.Members()[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			below := m.Name
			if path != "" {
				below = path + "." + m.Name
			}
			dst = append(jsonvalue.AppendString(dst, m.Name), ':')
			if slices.ContainsFunc(fields, func(f string) bool { return filter.Below(f, below) || filter.Below(below, f) }) {
				dst = appendRewritten(dst, &m.Value, below, fields, document)
			} else {
				dst = m.Value.AppendJSON(dst)
			}
		}
		return append(dst, '}')
	case jsonvalue.KindArray:
		dst = append(dst, '[')
		for i := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendRewritten(dst, &v.Members()[i].Value, path, fields, document)
		}
		return append(dst, ']')
	}
	if id, refused := payload.IDOf(v); refused == nil {
		if body, ok := document(id); ok {
			return append(dst, body...)
		}
	}
	return v.AppendJSON(dst)
}
