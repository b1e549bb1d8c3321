package query

import (
	"slices"

	"shoal/api/settings"
	"shoal/query/filter"
)

// Weights are the weights of fields. The weight of a field is the index of the first
// searchable attribute that equals or contains it, or 0 if all fields are searchable (spec
// ranking 2). Immutable.
type Weights struct {
	attributes *filter.Names // nil: all are searchable
}

// NewWeights compiles the weights from settings.
func NewWeights(settings *settings.Settings) Weights {
	if everySearchable(settings) {
		return Weights{}
	}
	return Weights{filter.NewNames(settings.SearchableAttributes)}
}

// Of returns the weight of a field. ok is false if the field is not searchable.
func (w Weights) Of(field string) (weight uint32, ok bool) {
	if reserved(field) {
		return 0, false
	}
	if w.attributes == nil {
		return 0, true
	}
	place, ok := w.attributes.Covering(field)
	return uint32(place), ok
}

// Searches tells whether a field is searchable.
func (w Weights) Searches(field string) bool {
	_, ok := w.Of(field)
	return ok
}

// MaxWeight is the greatest weight a field can have.
func MaxWeight(settings *settings.Settings) uint32 {
	if n := len(settings.SearchableAttributes); n > 0 && !everySearchable(settings) {
		return uint32(n - 1)
	}
	return 0
}

// everySearchable tells whether all fields are searched.
func everySearchable(settings *settings.Settings) bool {
	return settings.SearchableAttributes == nil || slices.Contains(settings.SearchableAttributes, "*")
}

// reserved tells whether a field can never be searchable.
func reserved(field string) bool {
	return filter.Below(field, "_vectors") || filter.Below(field, "_geo") || filter.Below(field, "_geojson")
}
