// Package parity keeps answers that once differed from the reference's equal to
// them. testdata holds one script per symptom: requests with what their answers
// must say, sent to one node and to three. A new difference becomes a new file,
// no code.
package parity
