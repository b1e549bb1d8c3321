package node

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

const (
	// roomNeeded is what must be free on the disk of the data folder before a node opens
	// it: less would not last for the first write.
	roomNeeded = 8 << 20
	// roomEvery is how often a node without room looks again, and roomToldEvery how often
	// it says so.
	roomEvery, roomToldEvery = 500 * time.Millisecond, 10 * time.Second
)

// DiskFull tells whether Run ended because the disk of the data folder is full. What was
// acknowledged is on disk; the next Run waits until there is room.
func DiskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// awaitRoom waits until there is room on the disk of the data folder. Probes are answered
// meanwhile, and the log says what is waited for.
func (n *Node) awaitRoom(ctx context.Context) error {
	begun, next := time.Now(), time.Duration(0)
	for {
		free, err := n.on.Files.Free(n.folder.Path)
		if err != nil {
			return fmt.Errorf("data folder %s: how much room is left: %w", n.folder.Path, err)
		}
		if free >= roomNeeded {
			if next > 0 {
				n.log.Info("there is room on the disk again", "free", free)
			}
			return nil
		}
		if waited := time.Since(begun); waited >= next {
			next = waited + roomToldEvery
			n.awaits("the disk of its data folder is full")
			n.log.Warn("the disk of the data folder is full: this node goes on by itself when there is room", "folder", n.folder.Path, "free", free, "needed", roomNeeded)
		}
		t := time.NewTimer(roomEvery)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}
