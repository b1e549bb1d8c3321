// Package config holds the options of one node (Config), validates them with messages in
// the words of the options, and knows which release this program is.
//
// In: values of options. Out: a validated Config. It imports the rules for addresses and
// secrets only and opens nothing.
package config
