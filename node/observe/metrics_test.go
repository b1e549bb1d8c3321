package observe

import (
	"strings"
	"testing"
	"time"

	gometrics "github.com/hashicorp/go-metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// Five quantiles of each heartbeat took a sixteenth of the time that an idle follower used.
func TestUnreadMetricsOfRaftAreNotMeasured(t *testing.T) {
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

// The help of 72 among 157 families was only their name.
func TestFamiliesOfLibrariesHaveAHelp(t *testing.T) {
	sink, err := libraries()
	if err != nil {
		t.Fatal(err)
	}
	m := &Metrics{registry: prometheus.NewRegistry()}
	if err := prometheus.WrapRegistererWith(prometheus.Labels{"node": "a"}, m.registry).Register(sink); err != nil {
		t.Fatal(err)
	}
	gometrics.MeasureSince([]string{"raft", "commitTime"}, time.Now())
	gometrics.IncrCounter([]string{"raft", "of", "a", "later", "library"}, 1)
	families, err := m.Gather()
	if err != nil {
		t.Fatal(err)
	}
	help := map[string]string{}
	for _, f := range families {
		help[f.GetName()] = f.GetHelp()
	}
	for name, want := range map[string]string{
		"shoal_raft_commitTime":         "Milliseconds from the proposal of an entry on the leader until it is committed.",
		"shoal_raft_of_a_later_library": "What the library for Raft calls raft.of.a.later.library.",
	} {
		if help[name] != want {
			t.Errorf("%s: %q, want %q", name, help[name], want)
		}
	}
}
