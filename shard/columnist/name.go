package columnist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"shoal/wire"
)

// A file of one shard is INDEX-SHARD-BLOCK-VERSION-UUID.columns, one of several is
// INDEX+SHARD.SHARD-BLOCK-UUID.columns, all numbers except VERSION in hexadecimal.
// Programs that know only the first form ignore files of the second one.

const (
	columnSuffix = ".columns"
	// unfinishedSuffix is the suffix of a file that is being written.
	unfinishedSuffix = ".unfinished"
	// maxShared is the largest number of shards per file, because the name lists their
	// numbers.
	maxShared = 16
)

// fileName is a parsed file name.
type fileName struct {
	index  uint32
	shards []uint16
	block  uint16
}

// tells reports whether the file may have documents of a shard.
func (n fileName) tells(key wire.ShardKey) bool {
	return n.index == key.IndexID && slices.Contains(n.shards, key.Shard)
}

// parseName parses the name of a file. ok is false if it is not ours.
func parseName(name string) (n fileName, ok bool) {
	rest, ok := strings.CutSuffix(name, columnSuffix)
	if !ok || len(rest) < 9 {
		return n, false
	}
	index, err := strconv.ParseUint(rest[:8], 16, 32)
	if err != nil || rest[8] != '-' && rest[8] != '+' {
		return n, false
	}
	n.index = uint32(index)
	parts := strings.SplitN(rest[9:], "-", 3)
	if len(parts) < 3 {
		return n, false
	}
	shards := parts[:1]
	if rest[8] == '+' {
		shards = strings.Split(parts[0], ".")
	}
	for _, text := range append(shards[:len(shards):len(shards)], parts[1]) {
		number, err := strconv.ParseUint(text, 16, 16)
		if err != nil {
			return n, false
		}
		n.shards = append(n.shards, uint16(number))
	}
	n.shards, n.block = n.shards[:len(shards)], n.shards[len(shards)]
	return n, true
}

// name returns a new name for the file of a job.
func (j *job) name() string {
	first := j.parts[0].core
	key := first.Keys().Key
	if len(j.parts) == 1 {
		return fmt.Sprintf("%08x-%04x-%04x-%d-%s%s", key.IndexID, key.Shard, j.block, first.State().Version, uuid.NewString(), columnSuffix)
	}
	shards := make([]string, len(j.parts))
	for i := range j.parts {
		shards[i] = fmt.Sprintf("%04x", j.parts[i].core.Keys().Key.Shard)
	}
	return fmt.Sprintf("%08x+%s-%04x-%s%s", key.IndexID, strings.Join(shards, "."), j.block, uuid.NewString(), columnSuffix)
}
