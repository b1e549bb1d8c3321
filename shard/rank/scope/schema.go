package scope

import (
	"slices"

	"shoal/api/settings"
	"shoal/query"
)

// NewSchema returns the schema of an index with the given fields, by id.
func NewSchema(settings *settings.Settings, fields []string) *Schema {
	s := &Schema{
		fieldID: make(map[string]uint16, len(fields)),
		Weight:  make([]int32, len(fields)), exact: make([]bool, len(fields)),
		MaxWeight:   query.MaxWeight(settings),
		byAttribute: settings.ProximityPrecision == "byAttribute",
	}
	s.AnyExact = settings.TypoTolerance.DisableOnNumbers || len(settings.TypoTolerance.DisableOnAttributes) > 0
	weights := query.NewWeights(settings)
	for i, name := range fields {
		s.fieldID[name] = uint16(i)
		s.Weight[i] = -1
		if w, ok := weights.Of(name); ok {
			s.Weight[i] = int32(w)
		}
		s.exact[i] = slices.Contains(settings.TypoTolerance.DisableOnAttributes, name)
	}
	return s
}

// FieldID returns the id of a field.
func (s *Schema) FieldID(name string) (uint16, bool) {
	fid, ok := s.fieldID[name]
	return fid, ok
}

// FieldWeight returns the weight of a searchable field.
func (s *Schema) FieldWeight(fid uint16) (uint32, bool) {
	if int(fid) >= len(s.Weight) || s.Weight[fid] < 0 {
		return 0, false
	}
	return uint32(s.Weight[fid]), true
}

func (s *Schema) searchable(fid uint16) bool {
	return int(fid) < len(s.Weight) && s.Weight[fid] >= 0
}

// exactField tells whether derived words do not count in a field of a restricted search: it is
// named in disableOnAttributes itself. A field below a named one does count there, as in the
// reference, although its words are exact for every other search.
func (s *Schema) exactField(fid uint16) bool { return int(fid) < len(s.exact) && s.exact[fid] }

// extends reports whether s treats the fields of old as old does. Then results for
// documents without newer fields remain right.
func (s *Schema) extends(old *Schema) bool {
	n := len(old.Weight)
	return len(s.Weight) >= n && slices.Equal(s.Weight[:n], old.Weight) && slices.Equal(s.exact[:n], old.exact) &&
		s.MaxWeight == old.MaxWeight && s.AnyExact == old.AnyExact && s.byAttribute == old.byAttribute
}
