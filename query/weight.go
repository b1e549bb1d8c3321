package query

import (
	"slices"

	"shoal/api"
)

// FieldWeight returns the weight of a field: the place of the first searchable
// attribute that equals or contains it, 0 for every field when all are
// searchable (spec ranking 2). ok is false when the field is not searchable.
func FieldWeight(settings *api.Settings, field string) (weight uint32, ok bool) {
	if reserved(field) {
		return 0, false
	}
	if everySearchable(settings) {
		return 0, true
	}
	for i, name := range settings.SearchableAttributes {
		if Below(field, name) {
			return uint32(i), true
		}
	}
	return 0, false
}

// MaxWeight is the greatest weight a field can have.
func MaxWeight(settings *api.Settings) uint32 {
	if n := len(settings.SearchableAttributes); n > 0 && !everySearchable(settings) {
		return uint32(n - 1)
	}
	return 0
}

// everySearchable tells whether all fields are searched.
func everySearchable(settings *api.Settings) bool {
	return settings.SearchableAttributes == nil || slices.Contains(settings.SearchableAttributes, "*")
}

// reserved tells whether a top-level field is never searchable.
func reserved(field string) bool {
	return Below(field, "_vectors") || Below(field, "_geo") || Below(field, "_geojson")
}
