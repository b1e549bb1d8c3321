// Package source has the dictionaries of the modules that the files are made of. Only
// the program that makes the files and tests import it: it weighs 140 MB.
package source
