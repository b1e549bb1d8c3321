// Package retry decides when a failed call to an external server is repeated: after growing
// pauses, or after the time that the server asks for.
//
// In: a Policy and the number of failures so far. Out: whether to try again, returned once
// it is time.
package retry
