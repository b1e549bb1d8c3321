// Package entry defines the form of a log entry: a version, the leader's time and
// watermark, an optional checksum, and a command, compressed when it is large.
//
// In: commands, and bytes of a log. Out: each in the form of the other, or the reason why
// an entry is refused: it is damaged, unknown, or of a newer program. May import wire only.
package entry
