// Package hostile measures what clients that want to harm do to one that does not: its
// searches may become three times slower.
package hostile
