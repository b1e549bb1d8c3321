package observe

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/coordinator/chat"
)

// Clients name the model, and the name is a label of metrics.
func TestClientsCannotInventFiguresWithoutEnd(t *testing.T) {
	c := newChat()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c.collectors()...)
	c.Round("desk", "m-1", 2*time.Second, chat.Use{Prompt: 5, Completion: 4, Total: 9})
	c.Round("desk", strings.Repeat("m", 65), time.Second, chat.Use{Total: 1})
	for i := range 10 * chatPairs {
		c.Round("desk", strconv.Itoa(i), time.Second, chat.Use{Total: 1})
	}
	c.Round("desk", "m-1", 2*time.Second, chat.Use{Total: 9})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "meilisearch_chat_tokens_total" {
			continue
		}
		if n := len(f.GetMetric()); n > chatPairs+1 {
			t.Errorf("%d models have figures", n)
		}
		for _, m := range f.GetMetric() {
			switch model, v := m.GetLabel()[0].GetValue(), m.GetCounter().GetValue(); {
			case model == "m-1" && v != 18, model == "other" && v != float64(1+10*chatPairs-(chatPairs-1)):
				t.Errorf("%s: %v", model, v)
			}
		}
	}
}
