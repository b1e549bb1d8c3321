package settings

import (
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Apply lays patches over old in order and returns the new effective settings. It does not
// modify old. It checks the result for values that contradict each other (spec write-api
// 17.3). The error is that of the task, without the prefix that names the index (InIndex
// adds it).
func Apply(old *Settings, patches []*Patch, env Env) (*Settings, *apierr.Error) {
	if env.Normalize == nil {
		env.Normalize = strings.ToLower
	}
	if env.StopWord == nil {
		env.StopWord = strings.Clone
	}
	s := *old // members are replaced, never modified in place
	for _, p := range patches {
		for _, row := range table {
			if !row.given(p) {
				continue
			}
			if err := row.apply(&s, p, &env); err != nil {
				return nil, err
			}
		}
	}
	for _, row := range table {
		if err := row.fits(&s, patches, &env); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// Effect tells which groups of an index's tables a change of settings rewrites (spec
// write-api 12.7): words and positions, facets and geographic structures, vectors. An index
// without documents needs no rewrite.
func Effect(old, new *Settings) (text, facet, vector bool) {
	for _, row := range table {
		r := row.effect(old, new)
		text, facet, vector = text || r.text, facet || r.facet, vector || r.vector
	}
	return text, facet, vector
}

// Append appends the answer of GET /settings: every setting in public order, with secrets
// masked. foreignKeys and chat are included only while their features are on (spec
// write-api 12.2).
func Append(dst []byte, s *Settings, f Features) []byte { return appendAll(dst, s, f, false) }

// AppendClear is Append with secrets in clear, for dumps and exports.
func AppendClear(dst []byte, s *Settings, f Features) []byte { return appendAll(dst, s, f, true) }

func appendAll(dst []byte, s *Settings, f Features, secrets bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, row := range table {
		if !row.hidden(f) && !row.unset(s) {
			o.Member(row.Name)
			o.Buf = row.show(o.Buf, s, secrets)
		}
	}
	return o.End()
}
