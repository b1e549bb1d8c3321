// Package poll asks the members of a cluster: all of them at once, one by its name, or the
// leader. This node answers its own questions without a call.
//
// In: the catalogue's members, a link to them. Out: the answers of those that answer. It
// decides nothing.
package poll
