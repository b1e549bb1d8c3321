package wire

import "github.com/cespare/xxhash/v2"

// SlotOf returns the hash slot of a document: the top 16 bits of the 64-bit
// xxHash of its external id in text form (3 and "3" are one id). Fixed for ever:
// it decides on which shard a document lives (architecture 6).
func SlotOf(externalID string) uint16 { return uint16(xxhash.Sum64String(externalID) >> 48) }

// SlotOfBytes is SlotOf for an id in a byte slice.
func SlotOfBytes(externalID []byte) uint16 { return uint16(xxhash.Sum64(externalID) >> 48) }
