package merge

import (
	"errors"

	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/wire"
)

// AppendWeighted appends the values as instances exchange them: the member
// `weightedScoreValues` of a proxied hit (spec search-api 6).
func AppendWeighted(dst []byte, values []Value) []byte {
	dst = append(dst, '[')
	for i := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = values[i].append(dst)
	}
	return append(dst, ']')
}

func (v *Value) append(dst []byte) []byte {
	switch v.Kind {
	case ScoreValue:
		dst = jsonvalue.AppendFloat(append(dst, `{"weightedScore":`...), v.Score)
		return append(dst, '}')
	case VectorValue:
		dst = jsonvalue.AppendFloat(append(dst, `{"vectorSort":`...), v.Score)
		return append(dst, '}')
	case SortValue:
		dst = appendDirection(append(dst, `{"sort":`...), v.Desc)
		dst = appendSortValue(append(dst, `,"value":`...), v.Sort)
	default:
		dst = appendDirection(append(dst, `{"geoSort":`...), v.Desc)
		dst = append(dst, `,"distance":`...)
		if v.HasDistance {
			dst = jsonvalue.AppendFloat(dst, v.Distance)
		} else {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, '}', '}')
}

func appendDirection(dst []byte, desc bool) []byte {
	if desc {
		return append(dst, `{"asc":false`...)
	}
	return append(dst, `{"asc":true`...)
}

func appendSortValue(dst []byte, v wire.SortValue) []byte {
	switch v.Kind {
	case wire.SortNumber:
		return jsonvalue.AppendFloat(dst, filter.ShownNumber(v.Number))
	case wire.SortString:
		return jsonvalue.AppendString(dst, v.Text)
	}
	return append(dst, "null"...)
}

// errWeighted refuses values that no instance of this version sends.
var errWeighted = errors.New("not a list of weighted score values")

// ParseWeighted reads what AppendWeighted or another instance wrote.
func ParseWeighted(v *jsonvalue.Value) ([]Value, error) {
	if v == nil || v.Kind() != jsonvalue.KindArray {
		return nil, errWeighted
	}
	out := make([]Value, 0, v.Len())
	for i := range v.Members() {
		m := v.Members()[i].Value.Members()
		if len(m) != 1 {
			return nil, errWeighted
		}
		value, ok := parseValue(m[0].Name, &m[0].Value)
		if !ok {
			return nil, errWeighted
		}
		out = append(out, value)
	}
	return out, nil
}

func parseValue(name string, v *jsonvalue.Value) (Value, bool) {
	switch name {
	case "weightedScore":
		return Value{Kind: ScoreValue, Score: v.Float()}, v.IsNumber()
	case "vectorSort":
		return Value{Kind: VectorValue, Score: v.Float()}, v.IsNumber()
	case "sort":
		value, ok := v.Get("value"), v.Get("asc")
		if value == nil || ok == nil || ok.Kind() != jsonvalue.KindBool {
			return Value{}, false
		}
		out := Value{Kind: SortValue, Desc: !ok.Bool(), Sort: wire.SortValue{Kind: wire.SortNone}}
		switch {
		case value.IsNumber():
			out.Sort = wire.SortValue{Kind: wire.SortNumber, Number: filter.FacetNumber(value.Float())}
		case value.Kind() == jsonvalue.KindString:
			out.Sort = wire.SortValue{Kind: wire.SortString, Text: value.String()}
		}
		return out, true
	case "geoSort":
		distance, ok := v.Get("distance"), v.Get("asc")
		if ok == nil || ok.Kind() != jsonvalue.KindBool {
			return Value{}, false
		}
		out := Value{Kind: GeoValue, Desc: !ok.Bool()}
		if distance != nil && distance.IsNumber() {
			out.Distance, out.HasDistance = distance.Float(), true
		}
		return out, true
	}
	return Value{}, false
}
