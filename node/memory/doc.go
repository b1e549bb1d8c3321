// Package memory decides how much memory the process may use and how hard the garbage
// collector works, by default and while large builds run.
package memory
