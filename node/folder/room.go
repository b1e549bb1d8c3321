package folder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"shoal/wire/await"
)

const (
	// roomNeeded is the free space that a node needs on the disk of its data folder before
	// it opens it. Less would not suffice for the first write.
	roomNeeded = 8 << 20
	// roomEvery is how often a node without space looks again, and roomToldEvery how often
	// it logs that.
	roomEvery, roomToldEvery = 500 * time.Millisecond, 10 * time.Second
)

// DiskFull tells whether a process ended because the disk of its data folder is full.
// Acknowledged data is on disk; the next process waits until there is space.
func DiskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// AwaitRoom waits until there is space on the disk of the data folder. It tells waits what
// it waits for as often as the log, because probes are answered meanwhile.
func (f *Folder) AwaitRoom(ctx context.Context, log *slog.Logger, waits func(what string)) error {
	begun, next := time.Now(), time.Duration(0)
	for {
		free, _, err := f.files.Space(f.Path)
		if err != nil {
			return fmt.Errorf("data folder %s: its disk does not tell how much room is left: %w: look whether it is mounted", f.Path, err)
		}
		if free >= roomNeeded {
			if next > 0 {
				log.Info("there is room on the disk again", "free", free)
			}
			return nil
		}
		if waited := time.Since(begun); waited >= next {
			next = waited + roomToldEvery
			waits("the disk of its data folder is full")
			log.Warn("the disk of the data folder is full: this node goes on by itself when there is room", "folder", f.Path, "free", free, "needed", roomNeeded)
		}
		if err := await.Sleep(ctx, roomEvery); err != nil {
			return err
		}
	}
}
