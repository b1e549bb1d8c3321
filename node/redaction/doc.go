// Package redaction takes secrets out of what people show to others.
//
// JSON loses the values of all members with the name of a secret, at any depth, and the
// credentials of addresses. Text loses known secrets. Both rather take too much than too
// little.
package redaction
