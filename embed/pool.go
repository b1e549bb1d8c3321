package embed

import (
	"cmp"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"shoal/api"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
	"shoal/embed/retry"
)

// parallelism is the number of concurrent calls of one Documents.
const parallelism = 40

// Config configures a Pool.
type Config struct {
	// Post sends body to url and returns the answer, of which it reads at most limit bytes.
	Post func(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (api.Reply, error)
	// OpenAIKey and OllamaURL are used if a definition has none.
	OpenAIKey, OllamaURL string
	// CachedQueries bounds the cached vectors of queries; 0 caches none.
	CachedQueries int
	// CallTime bounds one call, LongestWait the pause before a call is repeated; 0 means 30
	// s and one minute. A server that asks for a longer pause is not asked again.
	CallTime, LongestWait time.Duration
	// Sleep and Now replace the clock in tests; see retry.Policy.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// Pool embeds documents and queries for all indexes of a node. Safe for
// concurrent use.
type Pool struct {
	cfg   Config
	retry retry.Policy

	mu      sync.Mutex
	queries map[string]*list.Element // of *cachedQuery
	recent  list.List                // most recently used first
}

type cachedQuery struct {
	key    string
	vector []float32
}

// NewPool returns a Pool.
func NewPool(cfg Config) *Pool {
	cfg.CallTime = cmp.Or(cfg.CallTime, defaultCallTime)
	cfg.LongestWait = cmp.Or(cfg.LongestWait, defaultLongestWait)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Pool{cfg: cfg, retry: retry.Policy{Times: retries, Longest: cfg.LongestWait, Sleep: cfg.Sleep}, queries: make(map[string]*list.Element)}
}

// cancelled tells whether the caller went away. A passed deadline does not count, because
// that is the server's failure.
func (p *Pool) cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Documents embeds inputs with the indexing side of an embedder: texts, or fragments if it
// has some. Equal inputs are sent once. The vectors are in the order of the inputs; those
// of equal inputs share memory. Errors: *Error, or that of ctx if it was cancelled.
func (p *Pool) Documents(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value, watch Watcher) ([][]float32, error) {
	if e.Source == "composite" {
		e = side(e, e.IndexingEmbedder)
	}
	if err := refused(e, inputs); err != nil {
		return nil, err
	}
	client, err := p.newClient(e)
	if err != nil {
		return nil, err
	}
	d := distinctOf(inputs)
	vectors, ends := make([][]float32, len(d.list)), d.batches(client.perCall())
	c := &calls{client: client, watch: watch, patience: newPatience(len(ends), p.cfg.Now)}
	if err := c.run(ctx, d.list, ends, vectors); err != nil && !errors.Is(err, errRefused) {
		return nil, err
	}
	if err := c.fault(d); err != nil {
		return nil, err
	}
	out := make([][]float32, len(inputs))
	for i, at := range d.at {
		out[i] = vectors[at]
	}
	return out, nil
}

// side is one half of a composite embedder, with the dimensions of the whole.
func side(whole, half *settings.Embedder) *settings.Embedder {
	if half == nil {
		return &settings.Embedder{}
	}
	e := *half
	if e.Dimensions == 0 {
		e.Dimensions = whole.Dimensions
	}
	return &e
}

// refused is the error of sources that call no server.
func refused(e *settings.Embedder, inputs []jsonvalue.Value) error {
	switch e.Source {
	case "userProvided":
		text := ""
		if len(inputs) > 0 {
			text = inputs[0].String()
		}
		return manualText(text)
	case "huggingFace":
		return localModel(e.Model)
	}
	return nil
}

// Query embeds a search: its text, its media (JSON, or nil), or the search fragment that
// matches both. Vectors are cached by embedder and query. Errors: *apierr.Error, or that of
// ctx if it was cancelled.
func (p *Pool) Query(ctx context.Context, e *settings.Embedder, q *string, media json.RawMessage) ([]float32, error) {
	if e.Source == "composite" {
		e = side(e, e.SearchEmbedder)
	}
	input, err := searchInput(ctx, e, q, media)
	if err == nil {
		err = refused(e, []jsonvalue.Value{input})
	}
	if err != nil {
		return nil, apiError(err)
	}
	key := queryKey(e, &input)
	if v, ok := p.cached(key); ok {
		return v, nil
	}
	c, err := p.newClient(e)
	if err != nil {
		return nil, apiError(err)
	}
	vector, err := c.one(ctx, input, p.cfg.Now)
	if err != nil {
		return nil, apiError(err)
	}
	p.keep(key, vector)
	return vector, nil
}

// searchInput is the input that a query is embedded as.
func searchInput(ctx context.Context, e *settings.Embedder, q *string, media json.RawMessage) (jsonvalue.Value, error) {
	var parsed *jsonvalue.Value
	if media != nil {
		v, err := jsonvalue.Parse(media)
		if err != nil {
			return jsonvalue.Value{}, err
		}
		parsed = &v
	}
	switch {
	case parsed != nil && e.Source != "rest":
		return jsonvalue.Value{}, userError("`media` requested but the configuration doesn't have source `rest`")
	case len(e.SearchFragments) == 0 && parsed != nil:
		return jsonvalue.Value{}, userError("`media` requested, and the configuration has source `rest`, but the configuration doesn't have `searchFragments`.")
	case len(e.SearchFragments) > 0:
		return searchFragment(ctx, e, q, parsed)
	case q == nil:
		return jsonvalue.StringValue(""), nil
	}
	return jsonvalue.StringValue(*q), nil
}

// searchFragment renders the only search fragment that matches the query.
func searchFragment(ctx context.Context, e *settings.Embedder, q *string, media *jsonvalue.Value) (jsonvalue.Value, error) {
	var found jsonvalue.Value
	first := ""
	for i := range e.SearchFragments {
		f := &e.SearchFragments[i]
		template, err := prompt.ParseJSON(&f.Value)
		if err != nil {
			continue
		}
		rendered, err := template.Search(ctx, q, media)
		if errors.Is(err, prompt.ErrBudget) || ctx.Err() != nil {
			return found, userError("search fragment `" + f.Name + "`: " + err.Error())
		}
		if err != nil {
			continue // it needs something that the query lacks
		}
		if first != "" {
			return found, userError("Query matches multiple search fragments.\n  - Note: First matched fragment `" + first +
				"`.\n  - Note: Second matched fragment `" + f.Name + "`.\n  - Note: " + queryText(q, media))
		}
		found, first = rendered, f.Name
	}
	if first == "" {
		return found, userError("Query matches no search fragment.\n  - Note: " + queryText(q, media))
	}
	return found, nil
}

func queryText(q *string, media *jsonvalue.Value) string {
	var text, other jsonvalue.Value
	if q != nil {
		text = jsonvalue.StringValue(*q)
	}
	if media != nil {
		other = *media
	}
	v := jsonvalue.ObjectValue(jsonvalue.Member{Name: "q", Value: text}, jsonvalue.Member{Name: "media", Value: other})
	return v.JSON()
}

// queryKey identifies a query of an embedder by everything that determines its vector.
func queryKey(e *settings.Embedder, input *jsonvalue.Value) string {
	parts := []string{e.Source, e.URL, e.Model, e.APIKey, strconv.Itoa(e.Dimensions), strconv.Itoa(e.SetDimensions)}
	for _, h := range e.Headers {
		parts = append(parts, h.Name, h.Value)
	}
	for _, v := range []*jsonvalue.Value{e.Request, e.Response, input} {
		if v != nil {
			parts = append(parts, v.JSON())
		}
	}
	return strings.Join(parts, "\x00")
}

func (p *Pool) cached(key string) ([]float32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.queries[key]
	if at == nil {
		return nil, false
	}
	p.recent.MoveToFront(at)
	return at.Value.(*cachedQuery).vector, true
}

func (p *Pool) keep(key string, vector []float32) {
	if p.cfg.CachedQueries <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queries[key] != nil {
		return
	}
	p.queries[key] = p.recent.PushFront(&cachedQuery{key, vector})
	for len(p.queries) > p.cfg.CachedQueries {
		last := p.recent.Back()
		delete(p.queries, last.Value.(*cachedQuery).key)
		p.recent.Remove(last)
	}
}
