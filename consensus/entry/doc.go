// Package entry is what an entry of the log looks like: a version, the leader's time and
// watermark, perhaps a sum, and a command, compressed when it is large.
//
// In: commands, and bytes of a log. Out: the one as the other, and why an entry is not
// taken: damaged, unknown, or of a newer program. May import wire only.
package entry
