// Package redaction takes secrets out of what people show to others.
//
// JSON loses the values of all members that are named like a secret, at any depth, and
// the credentials of addresses; text loses secrets that are known. Both err on the side
// of taking too much.
package redaction
