package auth

import (
	"slices"

	"shoal/api/jsonvalue"
)

// jwkFault says what is wrong with the member jwk of a token's header. The key in it is never
// used, but the reference refuses what is none: first members of a wrong type, then a key
// without the members of its kind.
func jwkFault(key *jsonvalue.Value) string {
	for i := range key.Members() {
		m := &key.Members()[i]
		if v := &m.Value; !v.IsNull() {
			if fault := jwkMemberFault(m.Name, v); fault != "" {
				return fault
			}
		}
	}
	curves := []string{"P-256", "P-384", "P-521", "Ed25519"}
	of := func(kind string) bool { return isVariant(key.Get("kty"), kind) }
	switch {
	case of("EC") && isVariant(key.Get("crv"), curves...) && haveTexts(key, "x", "y"):
	case of("RSA") && haveTexts(key, "n", "e"):
	case of("oct") && haveTexts(key, "k"):
	case of("OKP") && isVariant(key.Get("crv"), curves...) && haveTexts(key, "x"):
	default:
		return "data did not match any variant of untagged enum AlgorithmParameters"
	}
	return ""
}

// jwkMemberFault checks a member that keys of all kinds may have.
func jwkMemberFault(name string, v *jsonvalue.Value) string {
	wrong := func(v *jsonvalue.Value, wanted string) string {
		return "invalid type: " + v.Describe() + ", expected " + wanted
	}
	switch name {
	case "use", "kid", "x5u", "x5t", "x5t#S256":
		if v.Kind() != jsonvalue.KindString {
			return wrong(v, "a string")
		}
	case "key_ops", "x5c":
		if v.Kind() != jsonvalue.KindArray {
			return wrong(v, "a sequence")
		}
		for i := range v.Members() {
			if item := &v.Members()[i].Value; item.Kind() != jsonvalue.KindString {
				return wrong(item, "a string")
			}
		}
	case "alg":
		switch {
		case v.Kind() == jsonvalue.KindString:
		case v.Kind() != jsonvalue.KindObject:
			return wrong(v, "string or map")
		case v.Len() != 1:
			return "invalid value: map, expected map with a single key"
		case !v.Members()[0].Value.IsNull():
			return wrong(&v.Members()[0].Value, "unit")
		}
	}
	return ""
}

// isVariant tells whether a value is one of some names, or an object from one of them to null.
func isVariant(v *jsonvalue.Value, names ...string) bool {
	switch {
	case v == nil:
		return false
	case v.Kind() == jsonvalue.KindObject && v.Len() == 1:
		return v.Members()[0].Value.IsNull() && slices.Contains(names, v.Members()[0].Name)
	}
	return v.Kind() == jsonvalue.KindString && slices.Contains(names, v.String())
}

func haveTexts(key *jsonvalue.Value, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v := key.Get(name)
		return v == nil || v.Kind() != jsonvalue.KindString
	})
}
