// Uses a cluster through the Go client, every request on another node. It is built in a
// module of its own.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	meilisearch "github.com/meilisearch/meilisearch-go"
)

const index = "films-go"

var checks int

func main() {
	if err := run(os.Getenv("SHOAL_KEY"), strings.Split(os.Getenv("SHOAL_URLS"), ",")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("Go: %d checks\n", checks)
}

func check(what string, got, want any) error {
	checks++
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

// nodes are the clients of all addresses, taken in turn.
type nodes struct {
	clients []meilisearch.ServiceManager
	turn    int
}

func (n *nodes) next() meilisearch.ServiceManager {
	n.turn++
	return n.clients[n.turn%len(n.clients)]
}

func (n *nodes) films() meilisearch.IndexManager { return n.next().Index(index) }

// done waits for a task; it takes what the call that made it returned.
func (n *nodes) done(task *meilisearch.TaskInfo, err error) error {
	if err != nil {
		return err
	}
	ended, err := n.next().WaitForTask(task.TaskUID, 10*time.Millisecond)
	if err != nil {
		return err
	}
	return check(fmt.Sprint("task ", task.TaskUID), ended.Status, meilisearch.TaskStatusSucceeded)
}

func run(key string, urls []string) error {
	n := &nodes{}
	for _, url := range urls {
		n.clients = append(n.clients, meilisearch.New(url, meilisearch.WithAPIKey(key)))
	}
	for _, part := range []func(*nodes) error{write, search} {
		if err := part(n); err != nil {
			return err
		}
	}
	if err := tenant(n, urls); err != nil {
		return err
	}
	return n.done(n.next().DeleteIndex(index))
}

func write(n *nodes) error {
	var films []map[string]any
	for i := range 60 {
		films = append(films, map[string]any{"id": i, "title": fmt.Sprint("The film number ", i), "year": 1990 + i%5, "genre": []string{"drama", "comedy"}[i%2]})
	}
	health, err := n.next().Health()
	if err != nil {
		return err
	}
	if err := check("health", health.Status, "available"); err != nil {
		return err
	}
	if err := n.done(n.next().CreateIndex(&meilisearch.IndexConfig{Uid: index, PrimaryKey: "id"})); err != nil {
		return err
	}
	if err := n.done(n.films().UpdateSettings(&meilisearch.Settings{FilterableAttributes: []string{"year", "genre"}, SortableAttributes: []string{"year"}})); err != nil {
		return err
	}
	if err := n.done(n.films().AddDocuments(films, nil)); err != nil {
		return err
	}
	if err := n.done(n.films().UpdateDocuments([]map[string]any{{"id": 3, "title": "A quiet river"}}, nil)); err != nil {
		return err
	}
	if err := n.done(n.films().DeleteDocument("4", nil)); err != nil {
		return err
	}
	var listed meilisearch.DocumentsResult
	if err := n.films().GetDocuments(&meilisearch.DocumentsQuery{Limit: 2, Fields: []string{"id"}}, &listed); err != nil {
		return err
	}
	return check("listing", listed.Total, int64(59))
}

func search(n *nodes) error {
	found, err := n.films().Search("quiet rivr", &meilisearch.SearchRequest{})
	if err != nil {
		return err
	}
	if err := check("typo", ids(found.Hits), []int{3}); err != nil {
		return err
	}
	found, err = n.films().Search("film", &meilisearch.SearchRequest{Filter: []string{"year = 1991", "genre = drama"}, Facets: []string{"genre"}, Sort: []string{"year:desc"}})
	if err != nil {
		return err
	}
	if err := check("facets", string(found.FacetDistribution), `{"genre":{"drama":6}}`); err != nil {
		return err
	}
	many, err := n.next().MultiSearch(&meilisearch.MultiSearchRequest{Queries: []*meilisearch.SearchRequest{{IndexUID: index, Query: "river"}, {IndexUID: index, Limit: 1}}})
	if err != nil {
		return err
	}
	for i, result := range many.Results {
		if err := check("multi-search", len(result.Hits), 1); err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
	}
	return nil
}

// tenant reads with a token that may see a part of the index, on every address.
func tenant(n *nodes, urls []string) error {
	made, err := n.next().CreateKey(&meilisearch.Key{Actions: []string{"search"}, Indexes: []string{index}, Description: "for tokens"})
	if err != nil {
		return err
	}
	token, err := n.next().GenerateTenantToken(made.UID, map[string]any{index: map[string]string{"filter": "year = 1992"}}, &meilisearch.TenantTokenOptions{APIKey: made.Key, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		return err
	}
	for _, url := range urls {
		client := meilisearch.New(url, meilisearch.WithAPIKey(token)).Index(index)
		found, err := client.Search("", &meilisearch.SearchRequest{})
		if err != nil {
			return err
		}
		if err := check("tenant token", found.EstimatedTotalHits, int64(12)); err != nil {
			return err
		}
		var refused *meilisearch.Error
		if err := client.GetDocuments(nil, &meilisearch.DocumentsResult{}); !errors.As(err, &refused) {
			return fmt.Errorf("a tenant token read documents: %w", err)
		}
		if err := check("refusal", refused.MeilisearchApiError.Code, "invalid_api_key"); err != nil {
			return err
		}
	}
	_, err = n.next().DeleteKey(made.UID)
	return err
}

func ids(hits meilisearch.Hits) []int {
	var out []int
	for _, h := range hits {
		var id int
		if json.Unmarshal(h["id"], &id) == nil {
			out = append(out, id)
		}
	}
	return out
}
