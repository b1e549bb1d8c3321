package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Patch is a change of settings: every member is absent, null (reset to the default) or a
// value. Task bodies store its JSON; task details show it with secrets masked. The zero
// Patch changes nothing.
type Patch struct {
	// values are indexed by place in the table: nil for an absent setting, otherwise a
	// decode.Field of the row's type.
	values []any
}

func (p *Patch) put(place int, value any) {
	for len(p.values) <= place {
		p.values = append(p.values, nil)
	}
	p.values[place] = value
}

// ParsePatch reads the body of PATCH /settings, or a stored patch. The error has the
// client's text.
func ParsePatch(at *decode.Loc, v *jsonvalue.Value) (*Patch, *apierr.Error) {
	p := &Patch{}
	if err := patchObject.Decode(at, v, p); err != nil {
		return nil, err
	}
	return p, nil
}

// MarshalJSON writes the whole patch, secrets included.
func (p *Patch) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil, false), nil }

// UnmarshalJSON reads the output of MarshalJSON.
func (p *Patch) UnmarshalJSON(data []byte) error {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return err
	}
	parsed, refused := ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	*p = *parsed
	return nil
}

// AppendJSON appends the given members in the order of the table: values as sent (sets
// sorted), null for a reset ("*" for the two lists of attributes). masked is for task details:
// it hides the secrets of embedders, and among other settings the reset of one that the reference
// lacks.
func (p *Patch) AppendJSON(dst []byte, masked bool) []byte {
	dst = append(dst, '{')
	first := true
	for _, s := range table {
		if !s.given(p) || masked && s.added && !first && s.resets(p) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsonvalue.AppendString(dst, s.Name), ':')
		dst = s.write(dst, p, masked)
	}
	return append(dst, '}')
}

// ResetAll is the patch of DELETE /settings.
func ResetAll() *Patch {
	p := &Patch{}
	for _, s := range table {
		s.Reset(p)
	}
	return p
}

// Merge lays later over p for display, as the details of a batch do (spec write-api 17.4):
// the last value of each setting wins. Embedders are merged one by one.
func (p *Patch) Merge(later *Patch) {
	for _, s := range table {
		if s.given(later) {
			s.merge(p, later)
		}
	}
}

// CheckSync validates a patch before a task is made (spec write-api 13.3), as far as the
// patch alone can be validated: experimental features, the mix of ranking rules, embedders
// with their templates.
func (p *Patch) CheckSync(f Features, t Templates) *apierr.Error {
	for _, s := range table {
		if err := s.check.gate(p, f); err != nil {
			return err
		}
	}
	for _, s := range table {
		if err := s.check.parts(p, f); err != nil {
			return err
		}
	}
	for _, s := range table {
		if err := s.check.value(p, t); err != nil {
			return err
		}
	}
	return nil
}
