// Package dictionary cuts Japanese and Korean into words by dictionaries that lie in
// files of their own: they weigh more than the program, and most indexes need neither.
//
// # What it owns
//
// The form of the files (docs/formats.md), which content this program accepts, and the
// dictionaries of this process: [Open] finds the files of a folder when a node starts,
// [Cut] loads one when the first text needs it, once per process, and keeps it (91 MiB for
// Japanese, 48 for Korean).
//
// # What it does not decide
//
// Whether an index is cut by a dictionary: that stands in the catalogue with the index
// (wire.Generations), so that all replicas cut alike (docs/adr/0018). A text of such an
// index is never cut without its dictionary: Cut panics with a [*MissingError] rather.
//
// The rooms below: source has the dictionaries of the modules that they come from, make
// is the program that writes the files.
package dictionary
