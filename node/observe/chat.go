package observe

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/coordinator/chat"
)

// Chat counts the usage of conversations with language models. It implements chat.Meter.
// Safe for concurrent use.
type Chat struct {
	searches                 *prometheus.CounterVec
	prompt, completion, both *prometheus.CounterVec
	rounds, whole            *prometheus.HistogramVec
	failures                 *prometheus.CounterVec

	mu sync.Mutex
	// known are the pairs of workspace and model that have metrics of their own.
	known map[[2]string]bool
}

var _ chat.Meter = (*Chat)(nil)

// Clients name the model, so the number of pairs with metrics of their own and the length
// of model names are bounded.
const (
	chatPairs = 100
	chatModel = 64
)

func newChat() *Chat {
	tokens := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"workspace", "model"})
	}
	buckets := []float64{.25, .5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 900}
	return &Chat{
		known: map[[2]string]bool{},
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meilisearch_chat_searches_total", Help: "Searches of conversations with language models, by the tool that the model called.",
		}, []string{"type"}),
		prompt:     tokens("meilisearch_chat_prompt_tokens_total", "Tokens that models were sent, as they say."),
		completion: tokens("meilisearch_chat_completion_tokens_total", "Tokens that models answered, as they say."),
		both:       tokens("meilisearch_chat_tokens_total", "Tokens of models, as they say."),
		rounds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "shoal_chat_round_seconds", Help: "How long a model took to answer once.", Buckets: buckets,
		}, []string{"workspace", "model"}),
		whole: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "shoal_chat_seconds", Help: "How long conversations took, from the request to the end of the stream.", Buckets: buckets,
		}, []string{"workspace"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shoal_chat_failures_total", Help: "Conversations that an error ended, of the model or of the way to it.",
		}, []string{"workspace"}),
	}
}

func (c *Chat) collectors() []prometheus.Collector {
	return []prometheus.Collector{c.searches, c.prompt, c.completion, c.both, c.rounds, c.whole, c.failures}
}

// model is the label of a model, or "other" if there are too many.
func (c *Chat) model(workspace, model string) string {
	pair := [2]string{workspace, model}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known[pair] {
		if len(model) > chatModel || len(c.known) >= chatPairs {
			return "other"
		}
		c.known[pair] = true
	}
	return model
}

// Round implements chat.Meter.
func (c *Chat) Round(workspace, model string, took time.Duration, used chat.Use) {
	model = c.model(workspace, model)
	c.rounds.WithLabelValues(workspace, model).Observe(took.Seconds())
	for counter, n := range map[*prometheus.CounterVec]uint64{c.prompt: used.Prompt, c.completion: used.Completion, c.both: used.Total} {
		if n > 0 {
			counter.WithLabelValues(workspace, model).Add(float64(n))
		}
	}
}

// Searched implements chat.Meter.
func (c *Chat) Searched(tool string) { c.searches.WithLabelValues(tool).Inc() }

// Ended implements chat.Meter.
func (c *Chat) Ended(workspace string, took time.Duration, failed bool) {
	c.whole.WithLabelValues(workspace).Observe(took.Seconds())
	if failed {
		c.failures.WithLabelValues(workspace).Inc()
	}
}
