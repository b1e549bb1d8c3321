package sim

import (
	"context"
	"testing"
	"time"
)

// TestANodeThatIsStoppedBeforeItIsLetInNeverFindsTheCluster (seed 47): its folder was not
// new any more, so that it asked nobody, and no catalogue told it where the others are. A
// node without --join waited for ever.
func TestANodeThatIsStoppedBeforeItIsLetInNeverFindsTheCluster(t *testing.T) {
	simulate(t, 47, func(ctx context.Context, o *outcome) {
		h := o.hosts[1]
		h.kill(true)
		h.disk.replace()
		h.start()
		pause(ctx, time.Second)                    // it is let in when its former self has been away for 15 s
		for _, o := range o.hosts[:firstMembers] { // or gossip still remembers its address
			o.kill(true)
		}
		for _, o := range o.hosts[:firstMembers] {
			o.start()
		}
	})
}
