package browser

import (
	"os"
	"testing"

	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
