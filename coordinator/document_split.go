package coordinator

import "shoal/api/payload"

// splitter takes the documents of a staged payload apart again; its buffers are
// reused.
type splitter struct {
	scan  jsonScan
	doc   payload.Document
	names map[string]string
}

// split returns the members of a staged document. Values alias raw; the document
// is valid until the next call. Staged documents have no repeated names.
func (s *splitter) split(raw []byte) *payload.Document {
	s.scan.data, s.scan.pos = raw, 0
	s.doc = payload.Document{Raw: raw, Members: s.doc.Members[:0]}
	s.scan.object(func(key []byte) bool {
		name, ok := s.names[string(key)]
		if !ok {
			name = string(key)
			if s.names == nil {
				s.names = map[string]string{}
			}
			if len(s.names) < 4096 { // payloads with a name per document do not fill memory
				s.names[name] = name
			}
		}
		s.scan.space()
		s.doc.Members = append(s.doc.Members, payload.Member{Name: name, Value: s.scan.value()})
		return true
	})
	return &s.doc
}
