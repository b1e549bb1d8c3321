package routing

import (
	"os"
	"strconv"
	"strings"
	"time"

	"shoal/httpfront/queue"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// unmatchedPath labels all requests that match no route. It is one value, where the labels
// of the reference grow without bound (spec tasks-auth-ops-api 17 no. 12).
const unmatchedPath = "unmatched"

// Metrics are the metrics that are counted during requests. The others of spec
// tasks-auth-ops-api 11 are gauges, computed on demand.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	degraded prometheus.Gauge
	// always: times are recorded even while the experimental feature is off.
	always       bool
	personalized prometheus.Gauge
}

func NewMetrics(always bool) *Metrics {
	m := &Metrics{
		always:   always,
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meilisearch_http_requests_total", Help: "Meilisearch HTTP requests total",
		}, []string{"method", "path", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "meilisearch_http_response_time_seconds", Help: "Meilisearch HTTP response times",
			Buckets: []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10},
		}, []string{"method", "path"}),
		degraded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "meilisearch_degraded_search_requests", Help: "Meilisearch number of degraded search requests",
		}),
	}
	m.personalized = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "meilisearch_personalized_search_requests", Help: "Meilisearch number of search requests with personalization",
	})
	m.registry.MustRegister(m.requests, m.latency, m.degraded, m.personalized, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if _, ok := threads(); ok {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "process_threads", Help: "Number of OS threads in the process."}, func() float64 {
			n, _ := threads()
			return n
		}))
	}
	return m
}

// Gatherer returns the metrics of requests.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// addQueue registers the metrics of the search queue.
func (m *Metrics) addQueue(q *queue.Queue) {
	for _, g := range []struct {
		name, help string
		value      func() int
	}{
		{"meilisearch_search_queue_size", "Meilisearch Search Queue Size", func() int { _, _, capacity := q.Figures(); return capacity }},
		{"meilisearch_searches_running", "Meilisearch Searches Running", func() int { running, _, _ := q.Figures(); return running }},
		{"meilisearch_searches_waiting_to_be_processed", "Meilisearch Searches Being Processed", func() int { _, waiting, _ := q.Figures(); return waiting }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, func() float64 { return float64(g.value()) }))
	}
}

// count counts one answered request.
func (m *Metrics) count(method, path string, status int) {
	if !strings.Contains(allMethods, method) {
		method = "other" // clients may invent any number of methods
	}
	m.requests.WithLabelValues(method, path, strconv.Itoa(status)).Inc()
}

// observe counts a request of a route and, if metrics are on, its time.
func (m *Metrics) observe(r *Route, status int, took time.Duration, timed bool) {
	m.count(r.Method, r.Pattern, status)
	if timed || m.always {
		m.latency.WithLabelValues(r.Method, r.Pattern).Observe(took.Seconds())
	}
}

// searched counts a search if the cutoff stopped it.
func (m *Metrics) searched(degraded bool) {
	if degraded {
		m.degraded.Inc()
	}
}

// threads is how many threads the process has, if the system tells. The library's collector
// omits it.
func threads() (n float64, ok bool) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(b), "\nThreads:")
	line, _, _ := strings.Cut(rest, "\n")
	n, err = strconv.ParseFloat(strings.TrimSpace(line), 64)
	return n, err == nil
}
