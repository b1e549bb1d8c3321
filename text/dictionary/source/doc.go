// Package source has the dictionaries of the modules that the files are made from. It
// weighs 140 MB, so only tests and the program that makes the files import it.
package source
