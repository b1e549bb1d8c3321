package consensus

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/consensus/state"
)

// VerifyLog reads every entry of this node's log from the disk, and returns what is
// damaged, a line each, and how many entries were read. The state that they led to is
// read by the function VerifyLog, when the node does not run.
func (g *Group) VerifyLog(ctx context.Context) (damage []string, read uint64, err error) {
	return verifyEntries(ctx, g.logs)
}

// verifyEntries reads every entry of a log and compares it with its sum.
func verifyEntries(ctx context.Context, log *raftlog.Store) (damage []string, read uint64, err error) {
	first, err := log.FirstIndex()
	if err != nil {
		return nil, 0, fmt.Errorf("the log: %w", err)
	}
	last, err := log.LastIndex()
	if err != nil {
		return nil, 0, fmt.Errorf("the log: %w", err)
	}
	for index := max(first, 1); index <= last; index++ {
		if err := ctx.Err(); err != nil {
			return damage, read, err
		}
		var entry raft.Log
		err := log.ReadLog(index, &entry)
		if errors.Is(err, raft.ErrLogNotFound) {
			// The log is cut at its head while it is read.
			if first, e := log.FirstIndex(); e == nil && index < first {
				continue
			}
		}
		if err == nil && entry.Index != index {
			err = fmt.Errorf("it says that it is entry %d", entry.Index)
		}
		if err == nil && entry.Type == raft.LogCommand {
			_, _, err = state.DecodeEntry(entry.Data)
		}
		if err != nil {
			damage = append(damage, fmt.Sprintf("entry %d of the log: %v", index, err))
			if len(damage) >= maxLogDamage {
				return append(damage, "and maybe more: the reading ended here"), read, nil
			}
		}
		read++
	}
	return damage, read, nil
}

// maxLogDamage is how many damaged entries are listed.
const maxLogDamage = 20
