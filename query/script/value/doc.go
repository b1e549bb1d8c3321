// Package value is what scripts compute with: values of the kinds of the language, how
// they compare, add up and are shown, how JSON becomes them and they become JSON, and
// the failures of a program with their place.
//
// In: JSON, operands. Out: values, JSON, *Error. Imports api/jsonvalue only; it knows no
// program and no limits but those it is given.
//
// Arrays and maps are shared until somebody modifies them (Value.Copied); who does that
// copies first.
package value
