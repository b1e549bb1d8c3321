// Package dictionary cuts Japanese and Korean into words. Its dictionaries lie in separate
// files, because they are larger than the program and most indexes need neither.
//
// # What it owns
//
// The form of the files (docs/formats.md), the check which content this program accepts,
// and the dictionaries of this process: [Open] finds the files of a folder when a node
// starts, [Cut] loads one when the first text needs it, once per process, and keeps it (91
// MiB for Japanese, 48 for Korean).
//
// # What it does not decide
//
// Whether an index is cut by a dictionary. The catalogue records that with the index
// (wire.Generations), so that all replicas cut alike (docs/adr/0018). A text of such an
// index is never cut without its dictionary: Cut panics with a [*MissingError] instead.
//
// Packages below: source has the dictionaries as Go modules ship them; make is the program
// that writes the files.
package dictionary
