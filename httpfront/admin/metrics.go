package admin

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
)

func (h *Handlers) serveMetrics(x *routing.Exchange) error {
	if !x.Features().Metrics {
		return apierr.New(apierr.CodeFeatureNotEnabled, "Getting metrics requires enabling the `metrics` experimental feature. See https://github.com/meilisearch/product/discussions/625")
	}
	if x.Auth.Indexes() != nil {
		return auth.InvalidKey("The provided API key is invalid. The API key for the `/metrics` route must allow access to all indexes.")
	}
	buf := bytes.NewBuffer(x.Buffer())
	if err := h.WriteMetrics(x.Context(), buf); err != nil {
		return err
	}
	return x.RespondAs(http.StatusOK, MetricsType, buf.Bytes())
}

// MetricsType is the content type of the output of WriteMetrics.
const MetricsType = "text/plain; version=0.0.4"

// WriteMetrics writes all families, by name, in the text format of Prometheus.
func (h *Handlers) WriteMetrics(ctx context.Context, to io.Writer) error {
	gauges, err := h.gauges(ctx)
	if err != nil {
		return err
	}
	all := prometheus.Gatherers{h.Requests, gauges}
	if more := h.Families; more != nil {
		all = append(all, more)
	}
	families, err := all.Gather()
	if err != nil {
		return err
	}
	slices.SortFunc(families, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(to, f); err != nil {
			return err
		}
	}
	return nil
}

// gauges computes the current values.
func (h *Handlers) gauges(ctx context.Context) (*prometheus.Registry, error) {
	stats, err := h.Stats.Stats(ctx, nil)
	if err != nil {
		return nil, err
	}
	tasks, err := h.Stats.TaskCounts(ctx)
	if err != nil {
		return nil, err
	}
	g := gaugeSet{registry: prometheus.NewRegistry()}
	g.set("meilisearch_db_size_bytes", "Meilisearch DB Size In Bytes", float64(stats.DatabaseSize))
	g.set("meilisearch_used_db_size_bytes", "Meilisearch Used DB Size In Bytes", float64(stats.UsedDatabaseSize))
	g.set("meilisearch_index_count", "Meilisearch Index Count", float64(len(stats.Indexes)))
	g.set("meilisearch_last_update", "Meilisearch Last Update", float64(stats.LastUpdate/int64(time.Second)))
	indexing := 0.0
	docs := g.vector("meilisearch_index_docs_count", "Meilisearch Index Docs Count", "index")
	for _, index := range stats.Indexes {
		docs.WithLabelValues(index.Name).Set(float64(index.Value.Documents))
		if index.Value.IsIndexing {
			indexing = 1
		}
	}
	g.set("meilisearch_is_indexing", "Meilisearch Is Indexing", indexing)
	counts := g.vector("meilisearch_nb_tasks", "Meilisearch Number of tasks", "kind", "value")
	for _, group := range []struct {
		kind   string
		values []api.FacetValue
	}{{"statuses", tasks.Statuses}, {"types", tasks.Types}, {"indexes", tasks.Indexes}} {
		for _, v := range group.values {
			counts.WithLabelValues(group.kind, v.Value).Set(float64(v.Count))
		}
	}
	g.set("meilisearch_task_queue_latency_seconds", "Meilisearch Task Queue Latency in Seconds", tasks.QueueLatencySeconds)
	g.set("meilisearch_task_queue_max_size", "Meilisearch Task Queue Max Size", api.TaskStoreBytes)
	g.set("meilisearch_task_queue_used_size", "Meilisearch Task Queue Used Size", float64(tasks.UsedBytes))
	g.set("meilisearch_task_queue_size_until_stop_registering", "Meilisearch Task Queue Size Until Stop Registering",
		max(0, api.TaskStoreBytes*0.4-float64(tasks.UsedBytes)))
	g.batches(tasks)
	return g.registry, nil
}

// batches sets the metrics about running and recent batches.
func (g *gaugeSet) batches(tasks *api.TaskCounts) {
	if len(tasks.Running) > 0 {
		v := g.vector("meilisearch_batch_running_progress_trace", "The currently running progress trace", "batch_uid", "step_name")
		for _, b := range tasks.Running {
			setSteps(v, &b)
		}
	}
	if b := tasks.Finished; b != nil && len(b.Steps) > 0 {
		setSteps(g.vector("meilisearch_last_finished_batches_progress_trace_ms", "The last few batches progress trace in milliseconds", "batch_uid", "step_name"), b)
	}
	if b := tasks.Indexed; b != nil {
		uid := strconv.FormatUint(uint64(b.UID), 10)
		g.vector("meilisearch_last_indexed_documents_count", "Documents changed by the last batch of documents", "batch_uid", "index").
			WithLabelValues(uid, b.Index).Set(float64(b.Documents))
		g.vector("meilisearch_last_indexed_documents_duration_ms", "Duration of the last batch of documents in milliseconds", "batch_uid", "index").
			WithLabelValues(uid, b.Index).Set(float64(b.DurationMillis))
	}
}

func setSteps(v *prometheus.GaugeVec, b *api.BatchSteps) {
	for _, s := range b.Steps {
		v.WithLabelValues(strconv.FormatUint(uint64(b.UID), 10), s.Name).Set(s.Value)
	}
}

// gaugeSet registers each gauge when it is set.
type gaugeSet struct{ registry *prometheus.Registry }

func (g *gaugeSet) set(name, help string, value float64) {
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	gauge.Set(value)
	g.registry.MustRegister(gauge)
}

func (g *gaugeSet) vector(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	g.registry.MustRegister(v)
	return v
}
