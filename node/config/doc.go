// Package config is everything that one node is told (Config), what is wrong with it in
// the words of the options, and which release this program is.
//
// In: values of options. Out: a Config that has been validated. Imports the rules for
// addresses and secrets only; it opens nothing.
package config
