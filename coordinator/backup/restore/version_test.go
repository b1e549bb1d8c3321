package restore

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// What an older program would misread is not restored while one may be there.
func TestIndexesWaitForProgramsThatKnowThem(t *testing.T) {
	defer func(was time.Duration) { knownWithin = was }(knownWithin)
	knownWithin = 10 * time.Millisecond
	log := coordtest.NewLog("n1")
	log.State.Members = []*wire.Node{{ID: "n1", Version: wire.SameObjectSince}, {ID: "n2", Version: wire.SameObjectSince - 1}}
	await := func() error {
		return AwaitVersion(t.Context(), log, slog.New(slog.DiscardHandler), wire.SameObjectSince, ForObjects)
	}
	if err := await(); err == nil || !strings.HasPrefix(err.Error(), ForObjects) || !strings.Contains(err.Error(), "start all nodes with this program") {
		t.Errorf("with an older program: %v", err)
	}
	log.State.Members[1].Version = wire.SameObjectSince
	if err := await(); err != nil {
		t.Error(err)
	}
}
