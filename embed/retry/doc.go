// Package retry says when a failed call of a server outside is made again: after
// pauses that grow, or after the time that the server asks for.
//
// In come a Policy and the number of failures so far; out goes whether to try again,
// once it is time.
package retry
