package node

import (
	"context"
	"time"

	"shoal/wire/await"
)

// displacementEvery is how often a node looks whether its data folder is still there.
const displacementEvery = time.Minute

// watchFolder logs while the data folder is not there any more. It does not end the node,
// because the open files may be all that is left of the data.
func (p *process) watchFolder(ctx context.Context) {
	for await.Sleep(ctx, await.Until(displacementEvery)) == nil {
		if p.folder.Displaced() {
			p.log.Error("the data folder was removed or replaced while this node runs: all that is in it ends with this process; if other nodes have all copies, start this node again, else make a dump first",
				"folder", p.folder.Path)
		}
	}
}
