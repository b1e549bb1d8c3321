// Package bucket stores backups as named objects in a folder or in S3.
//
// Contents are written and read whole. Errors tell who must act: ErrDenied and ErrNoBucket need
// the operator, ErrFull needs space, ErrUnavailable may pass. An object appears completely or
// not at all. An object whose Put returned nil survives a crash.
//
// The package does not interpret objects. It starts no goroutines that outlive a call.
package bucket
