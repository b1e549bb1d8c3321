package payload

import "shoal/api/jsonvalue"

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
