// Package bucket is where backups lie: objects under names, in a folder or in S3.
//
// In come names and whole contents, out go the same, or an error that says whose
// fault it is: ErrDenied and ErrNoBucket are the operator's to mend, ErrFull the
// disk's, ErrUnavailable may pass. An object appears whole or not at all, and a
// Put that returned nil survives a crash.
//
// It knows nothing of what the objects mean. Goroutines: none that outlive a call.
package bucket
