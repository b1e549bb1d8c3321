// Package hostile measures what hostile clients, and strangers without a key or the secret,
// do to a client that means no harm: its searches may become three times slower.
package hostile
