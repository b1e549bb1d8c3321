package payload

import (
	"strconv"
	"strings"
	"unicode"

	"shoal/api/jsonvalue"
)

// names caches member names, which repeat from document to document.
type names struct{ known map[string]string }

// maxNames bounds the cache. Further names are not cached.
const maxNames = 4096

// get decodes the name raw[from:to] (without its quotes). The position of an error refers
// to raw.
func (n *names) get(raw []byte, from, to int) (string, error) {
	if s, ok := n.known[string(raw[from:to])]; ok {
		return s, nil
	}
	s, err := jsonvalue.DecodeString(raw, from)
	if err != nil {
		return "", err
	}
	if n.known == nil {
		n.known = map[string]string{}
	}
	if len(n.known) < maxNames {
		n.known[string(raw[from:to])] = s
	}
	return s, nil
}

// debugQuote quotes s as the reference's messages do.
func debugQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			if r != ' ' && !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' ' {
				b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + "}")
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
