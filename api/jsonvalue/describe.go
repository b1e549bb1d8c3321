package jsonvalue

// Describe names a value as the messages of a decoder do: its kind and, unless it is an
// array or an object, the value itself.
func (v *Value) Describe() string {
	switch v.Kind() {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean `" + v.JSON() + "`"
	case KindString:
		return "string " + v.JSON()
	case KindArray:
		return "sequence"
	case KindObject:
		return "map"
	case KindFloat:
		return "floating point `" + v.JSON() + "`"
	}
	return "integer `" + v.JSON() + "`"
}
