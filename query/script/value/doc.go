// Package value is what scripts compute with: values of the kinds of the language, how they
// compare, add up and are shown, their conversion from and to JSON, and the failures of a
// program with their place.
//
// In: JSON, operands. Out: values, JSON, *Error. Imports api/jsonvalue only. It knows no
// program, and only the limits that it is given.
//
// Arrays and maps are shared until somebody modifies them (Value.Copied): a caller copies
// before it modifies.
package value
