package columnist

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"shoal/wire"
)

// A file is INDEX-SHARD-BLOCK-VERSION-UUID.columns, all numbers except VERSION in
// hexadecimal. Former programs wrote files for several shards, too:
// INDEX+SHARD.SHARD-BLOCK-UUID.columns.

const columnSuffix = ".columns"

// parseName returns the shard of a file, by its name. ok is false if it is not the name of
// a file of one shard.
func parseName(name string) (key wire.ShardKey, ok bool) {
	rest, ok := strings.CutSuffix(name, columnSuffix)
	parts := strings.SplitN(rest, "-", 4)
	if !ok || len(parts) < 4 {
		return key, false
	}
	index, err := strconv.ParseUint(parts[0], 16, 32)
	shard, err2 := strconv.ParseUint(parts[1], 16, 16)
	_, err3 := strconv.ParseUint(parts[2], 16, 16)
	return wire.ShardKey{IndexID: uint32(index), Shard: uint16(shard)}, err == nil && err2 == nil && err3 == nil
}

// former reports whether a file has the documents of several shards.
func former(name string) bool {
	return strings.HasSuffix(name, columnSuffix) && len(name) > 8 && name[8] == '+'
}

// name returns a new name for the file of a job.
func (j *job) name() string {
	key := j.keeper.key
	return fmt.Sprintf("%08x-%04x-%04x-%d-%s%s", key.IndexID, key.Shard, j.block, j.version, uuid.NewString(), columnSuffix)
}
