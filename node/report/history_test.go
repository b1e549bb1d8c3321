package report

import "testing"

func TestAHistoryOfADayIsThinnedAndKeepsTheWorstTimes(t *testing.T) {
	var h history
	if got := h.thinned(10); len(got) != 0 {
		t.Fatalf("an empty history has %d samples", len(got))
	}
	for i := range 2 * historyKept {
		p99 := 1.0
		if i == 2*historyKept-4 {
			p99 = 900
		}
		h.add(activity{ID: "n", At: int64(i), Searches: uint64(10 * i), SearchP99: p99})
	}
	all := h.thinned(historyKept)
	if len(all) != historyKept || all[0].At != historyKept || all[len(all)-1].At != 2*historyKept-1 {
		t.Fatalf("%d samples from %d to %d, want those of the last day", len(all), all[0].At, all[len(all)-1].At)
	}
	few := h.thinned(144)
	last := few[len(few)-1]
	if len(few) != 144 || last.At != 2*historyKept-1 || last.Searches != 10*(2*historyKept-1) {
		t.Errorf("%d samples, the last one %+v", len(few), last)
	}
	if last.SearchP99 != 900 || few[0].SearchP99 != 1 {
		t.Errorf("p99 of the first and last sample are %g and %g, want 1 and the worst, 900", few[0].SearchP99, last.SearchP99)
	}
	if last.ID != "" {
		t.Errorf("samples repeat the id of their node")
	}
	for i := 1; i < len(few); i++ {
		if few[i].At-few[i-1].At != 10 {
			t.Fatalf("samples are %d and %d apart", few[i].At, few[i-1].At)
		}
	}
}
