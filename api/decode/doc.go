// Package decode reads bodies and query strings into structs by tables.
//
// An Object is the table of a struct's members. It turns a Value into the filled struct, or
// returns the first refusal in the reference's words. A Row is one member, a Decoder reads
// one kind of value, a Loc is a place inside the body with the error code that applies
// there, and a Field tells an absent member from a null one. A table can also describe the
// values that it accepts (Describe).
//
// The package imports api/jsonvalue and api/apierr. It keeps no state; tables are immutable
// once made.
package decode
