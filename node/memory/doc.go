// Package memory is how much memory the process may use and how hard the garbage
// collector works for it: by default, and while large builds run.
package memory
