package wire

import "shoal/wire/codec"

// Version is the version of the private contract. Every node reports that of its program. A
// feature that older programs do not understand is used once the log has the version that
// brought it (ValueProgram): 2 brought compressed commands and Change.Unchanged, 3
// Rename.Exchange, 4 Guard.Aims, 5 SearchOpen.Others, 6 Node.Dictionaries, 7 sums of log
// entries, 8 shorter leases, 9 a running hash of the log, 10 texts of format 5, 11 Node.Zone,
// 12 the rule that sorts at random, 13 Node.Disk, Index.Wide and Change.PutWide, 14 the setting
// that indexes objects of arrays, 15 aliases, 16 the setting that has documents expire, 17 the
// setting that has words searched inside, 18 shards that number their documents without gaps,
// 19 Change.PutDraining.
// It rises with text.FormatVersion too, because tables are rebuilt only when all nodes agree.
const Version = 19

// RandomSince is the Version whose programs know the rule rule.Random.
const RandomSince = 12

// SameObjectSince is the Version whose programs know settings.FilterableRule.SameObject.
const SameObjectSince = 14

// ExpirySince is the Version whose programs know settings.Settings.ExpiryAttribute.
const ExpirySince = 16

// InfixSince is the Version whose programs know settings.TypoTolerance.InfixOnAttributes.
const InfixSince = 17

// RowsSince is the Version whose programs read shards that number their documents without gaps.
const RowsSince = 18

// Marshal encodes one message. Equal values give equal bytes.
func Marshal(v any) ([]byte, error) { return codec.Encode(v) }

// Unmarshal decodes one message. Unknown fields are ignored, absent ones stay zero. Byte slices
// in v do not alias data. Those of a search message share memory, because a search is short:
// copy what you keep.
func Unmarshal(data []byte, v any) error {
	switch v.(type) {
	case *SearchOpen, *SearchStep, *SearchReply:
		return codec.DecodeTogether(data, v)
	}
	return codec.Decode(data, v)
}

// UnmarshalKnown is Unmarshal, but it refuses a message with unknown fields.
func UnmarshalKnown(data []byte, v any) error { return codec.DecodeKnown(data, v) }
