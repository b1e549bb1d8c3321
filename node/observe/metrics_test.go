package observe

import (
	"strings"
	"testing"
	"time"

	gometrics "github.com/hashicorp/go-metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// Five quantiles of each heartbeat were a sixteenth of what an idle follower used.
func TestWhatNobodyReadsOfARaftMessageIsMeasured(t *testing.T) {
	sink, err := libraries()
	if err != nil {
		t.Fatal(err)
	}
	gometrics.MeasureSince([]string{"raft", "net", "rpcDecode"}, time.Now())
	gometrics.MeasureSince([]string{"raft", "rpc", "processHeartbeat"}, time.Now())
	shown := make(chan prometheus.Metric, 1000)
	sink.Collect(shown)
	close(shown)
	var names []string
	for m := range shown {
		names = append(names, m.Desc().String())
	}
	all := strings.Join(names, "\n")
	if strings.Contains(all, "shoal_raft_net") {
		t.Error("what a message waited for is measured")
	}
	if !strings.Contains(all, "shoal_raft_rpc_processHeartbeat") {
		t.Errorf("what a heartbeat takes is not measured:\n%s", all)
	}
}
