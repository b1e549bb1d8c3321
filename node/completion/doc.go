// Package completion describes the command line to shells and people: the scripts that
// complete commands (Script) and the manual page (Manual).
//
// In: the commands of a program. Out: text. Names of nodes, indexes and contexts are not in
// it: the scripts ask for them with the hidden command names. It imports node/commandline.
package completion
