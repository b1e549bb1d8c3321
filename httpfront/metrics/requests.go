package metrics

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// unmatchedPath labels all requests that match no route. It is one value, where the labels
// of the reference grow without bound (spec tasks-auth-ops-api 17 no. 12).
const unmatchedPath = "unmatched"

// Methods are the methods of HTTP, as CORS lists them.
const Methods = "GET, POST, PUT, DELETE, HEAD, OPTIONS, CONNECT, PATCH, TRACE"

// Requests is what is measured during requests. The other metrics of spec
// tasks-auth-ops-api 11 are gauges, computed on demand. It is safe for concurrent use.
type Requests struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	degraded prometheus.Gauge
	// always: times are recorded even while the experimental feature is off.
	always       bool
	personalized prometheus.Gauge

	outcomes outcomes
	searches searchTimes
	slow     slowRequests
}

// New returns metrics that have counted nothing yet. always: the times of requests are
// recorded even when Request.Timed does not demand it.
func New(always bool) *Requests {
	m := &Requests{
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

// Gatherer returns the metrics for Prometheus.
func (m *Requests) Gatherer() prometheus.Gatherer { return m.registry }

// AddQueue registers the metrics of the search queue, whose figures are how many searches
// run, how many wait, and how many may wait.
func (m *Requests) AddQueue(figures func() (running, waiting, capacity int)) {
	for _, g := range []struct {
		name, help string
		value      func() int
	}{
		{"meilisearch_search_queue_size", "Meilisearch Search Queue Size", func() int { _, _, capacity := figures(); return capacity }},
		{"meilisearch_searches_running", "Meilisearch Searches Running", func() int { running, _, _ := figures(); return running }},
		{"meilisearch_searches_waiting_to_be_processed", "Meilisearch Searches Being Processed", func() int { _, waiting, _ := figures(); return waiting }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, func() float64 { return float64(g.value()) }))
	}
}

// Request is one answered request.
type Request struct {
	// Method and Path are those of its route.
	Method, Path string
	Status       int
	Took         time.Duration
	// Searched: it was admitted as a search.
	Searched bool
	// Open: its route needs no key, such as a probe.
	Open bool
	// Timed: its time is recorded for Prometheus.
	Timed bool
}

// Answered counts an answered request.
func (m *Requests) Answered(r *Request) {
	if r.Searched {
		m.searches.observe(r.Took)
	}
	if !r.Open { // open routes report the state of the node, so a 503 from them is no failure
		m.outcomes.count(time.Now(), r.Status, r.Searched, r.Took)
	}
	m.count(r.Method, r.Path, r.Status)
	if r.Timed || m.always {
		m.latency.WithLabelValues(r.Method, r.Path).Observe(r.Took.Seconds())
	}
}

// Unmatched counts a request that was refused with this status because no route has its
// path, or its method. path is the pattern of the path, "" if no route has it.
func (m *Requests) Unmatched(method, path string, status int) {
	m.count(method, cmp.Or(path, unmatchedPath), status)
}

func (m *Requests) count(method, path string, status int) {
	if !strings.Contains(Methods, method) {
		method = "other" // clients may invent any number of methods
	}
	m.requests.WithLabelValues(method, path, strconv.Itoa(status)).Inc()
}

// Searched counts a search if the cutoff stopped it.
func (m *Requests) Searched(degraded bool) {
	if degraded {
		m.degraded.Inc()
	}
}

// Personalized counts a search whose hits are reranked.
func (m *Requests) Personalized() { m.personalized.Inc() }

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
