// Package decode reads bodies and query strings into structs by tables.
//
// In come a Value and an Object, the table of a struct's members; out comes the
// filled struct, or the first refusal in the reference's words. A Row is one
// member, a Decoder reads one kind of value, a Loc is a place inside the body with
// the code of errors there, a Field tells a member that is absent from one that is
// null. A table also describes itself (Describe), by what it accepts.
//
// The package imports api/jsonvalue and api/apierr. It keeps no state; tables are
// immutable once made.
package decode
