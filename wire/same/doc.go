// Package same shares equal values that are made many times. Thousands of indexes may have the
// same settings, and each value less is one less for the garbage collector to visit, even on
// idle nodes.
//
// Its input is the key of a value and a function that creates the value. It returns a value
// that is already in use, or a new one. It imports nothing.
package same
