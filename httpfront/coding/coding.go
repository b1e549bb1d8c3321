package coding

import (
	"strconv"
	"strings"
)

// Coding is a content coding of answers. At equal quality, higher values are preferred.
type Coding uint8

// The codings.
const (
	Identity Coding = iota
	Deflate
	Gzip
	Brotli
)

var names = [...]string{Identity: "identity", Deflate: "deflate", Gzip: "gzip", Brotli: "br"}

// String returns the name of the coding in headers.
func (c Coding) String() string { return names[c] }

// Accepted lists the codings for a client that accepts none of them.
const Accepted = "br, gzip, deflate"

// Negotiate chooses the coding of an answer from the Accept-Encoding headers: the highest
// quality wins; at equal quality the order is br, gzip, deflate, identity. A star and
// unknown codings choose nothing. ok is false if nothing is acceptable.
func Negotiate(accept []string) (chosen Coding, ok bool) {
	best, identityQ, starQ := -1, -1, -1
	for _, line := range accept {
		for line != "" {
			var item string
			item, line, _ = strings.Cut(line, ",")
			name, q, valid := qualityItem(item)
			if !valid {
				continue
			}
			switch name {
			case "*":
				starQ = q
				continue
			case "identity":
				identityQ = q
			}
			if coding, known := byName(name); known && q > 0 && (q > best || q == best && coding > chosen) {
				chosen, best = coding, q
			}
		}
	}
	if best > 0 {
		return chosen, true
	}
	return Identity, identityQ != 0 && (identityQ > 0 || starQ != 0)
}

func byName(name string) (Coding, bool) {
	for i, n := range names {
		if n == name {
			return Coding(i), true
		}
	}
	return Identity, false
}

// qualityItem parses "name;q=0.5" with the quality in thousandths.
func qualityItem(item string) (name string, q int, ok bool) {
	name, params, _ := strings.Cut(item, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "", 0, false
	}
	params = strings.TrimSpace(params)
	if params == "" {
		return name, 1000, true
	}
	value, isQ := strings.CutPrefix(strings.ToLower(params), "q=")
	f, err := strconv.ParseFloat(value, 64)
	if !isQ || err != nil || !(f >= 0 && f <= 1) {
		return "", 0, false
	}
	return name, int(f*1000 + 0.5), true
}
