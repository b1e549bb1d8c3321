package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
)

// expiryAttribute names the attribute with the time, in seconds since 1970, at which a document
// is deleted. The reference lacks the setting: answers, dumps and details have it only where it
// is set.
var expiryAttribute = row[string]{
	Name: "expiryAttribute", Path: "expiry-attribute", Verb: "PUT", Code: apierr.Declare("invalid_settings_expiry_attribute"),
	decode:  decode.String,
	write:   decode.WriteString,
	pointer: func(s *Settings) **string { return &s.ExpiryAttribute },
	unset:   func(s *Settings) bool { return s.ExpiryAttribute == nil },
}.setting()

// SetsExpiry tells whether the patch has documents expire, which programs before
// wire.ExpirySince do not know.
func (p *Patch) SetsExpiry() bool { return of[string](p, expiryAttribute).IsSet() }

// DropExpiry removes the setting from the patch, for programs that do not know it.
func (p *Patch) DropExpiry() {
	if expiryAttribute.given(p) {
		p.values[expiryAttribute.place] = nil
	}
}

// RefuseExpiry is the error of settings that have documents expire in a cluster in which some
// program does not know of it.
func RefuseExpiry() *apierr.Error {
	return apierr.New(expiryAttribute.Code, apierr.ExpiryTextOlder)
}

// ExpiresNoMore is the error of a deletion of expired documents after their index got another
// attribute.
func ExpiresNoMore(uid, name string) *apierr.Error {
	return apierr.New(expiryAttribute.Code, "The documents of index `"+uid+"` do not expire by the attribute `"+name+"` any more.")
}

// UncomparableExpiry is the error of an attribute that filters cannot compare.
func UncomparableExpiry(name string) *apierr.Error {
	return apierr.New(expiryAttribute.Code, "Attribute `"+name+"` of `expiryAttribute` must be filterable with the feature `comparison`: documents that have expired are found by it.")
}
