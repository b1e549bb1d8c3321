package auth

import (
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// knownAlgorithms are the algorithms that a token header may name. Those other than HS* are
// refused later, with another text.
var knownAlgorithms = []string{"HS256", "HS384", "HS512", "ES256", "ES384", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "EdDSA"}

// isHeader names the members of a header that have a meaning. All of them but alg may be null.
var isHeader = map[string]bool{
	"typ": true, "alg": true, "cty": true, "jku": true, "jwk": true, "kid": true, "x5u": true, "x5c": true, "x5t": true, "x5t#S256": true,
	"crit": true, "enc": true, "zip": true, "url": true, "nonce": true,
}

var headerObject = object{name: "Header", known: isHeader, before: true}

// tokenAlgorithm reads the header of a token. Only the algorithm matters, but like the
// reference it refuses other members of a wrong type, those without a meaning last.
func tokenAlgorithm(part string) (algorithm string, _ *apierr.Error) {
	unknown := ""
	text, seen, refusal := headerObject.readMembers(part, func(m *member) (fault string, stop int) {
		switch isText := m.value.Kind() == jsonvalue.KindString; {
		case m.name == "alg":
			algorithm, fault, stop = readAlgorithm(m)
			return fault, stop
		case isHeader[m.name] && m.value.IsNull():
		case m.name == "x5c" || m.name == "crit":
			return textsFault(m)
		case m.name == "jwk" && m.value.Kind() == jsonvalue.KindObject:
			return jwkFault(&m.value), m.end
		case m.name == "jwk":
			return "invalid type: " + m.value.Describe() + ", expected struct Jwk", m.stop()
		case isHeader[m.name] && !isText:
			return "invalid type: " + m.value.Describe() + ", expected a string", m.stop()
		case !isHeader[m.name] && !isText && unknown == "":
			unknown = "invalid type: " + m.value.Describe() + ", expected a string"
		}
		return "", 0
	})
	switch {
	case refusal != nil:
		return "", refusal
	case !seen["alg"]:
		return "", misread("missing field `alg`", text, len(text))
	case unknown != "":
		return "", misread(unknown, text, len(text))
	}
	return algorithm, nil
}

// readAlgorithm reads the name of an algorithm, which may also be written {"HS256":null}.
func readAlgorithm(m *member) (name, fault string, stop int) {
	switch v := &m.value; {
	case isVariant(v, knownAlgorithms...) && v.Kind() == jsonvalue.KindObject:
		return v.Members()[0].Name, "", 0
	case v.Kind() != jsonvalue.KindString:
		return "", "expected value", m.begin + 1
	case !isVariant(v, knownAlgorithms...):
		return "", "unknown variant `" + v.String() + "`, expected one of `" + strings.Join(knownAlgorithms, "`, `") + "`", m.end
	default:
		return v.String(), "", 0
	}
}

func textsFault(m *member) (fault string, stop int) {
	if m.value.Kind() != jsonvalue.KindArray {
		return "invalid type: " + m.value.Describe() + ", expected a sequence", m.stop()
	}
	for i := range m.value.Members() {
		if item := &m.value.Members()[i].Value; item.Kind() != jsonvalue.KindString {
			return "invalid type: " + item.Describe() + ", expected a string", m.end - 1
		}
	}
	return "", 0
}
