package federated_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/cluster-test/solo"
	"shoal/coordinator/federated"
	"shoal/coordinator/schedule"
)

// Federated searches give the same answers on one shard and on three. Renew
// testdata/federated.txt with -rewrite.
//
//	index UID                       settings in the first line, then documents
//	search limit=2 distinct=f ...   a query a line: UID and what it asks for
func TestFederatedSearches(t *testing.T) {
	nodes := []*solo.Node{solo.Open(t, 1), solo.Open(t, 3)}
	for _, n := range nodes {
		n.Schedule(schedule.Jobs{})
	}
	datadriven.RunTest(t, "testdata/federated.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "index":
			settings, documents, _ := strings.Cut(d.Input, "\n")
			for _, n := range nodes {
				n.Settings(d.CmdArgs[0].Key, settings)
				n.Upload(d.CmdArgs[0].Key, documents)
				n.Idle()
				for _, task := range n.Tasks() {
					if task.Error != nil {
						d.Fatalf(t, "%s", task.Error.Message)
					}
				}
			}
			return fmt.Sprintf("%d documents\n", len(nodes[0].Content(d.CmdArgs[0].Key)))
		case "search":
			one := answered(t, nodes[0], d)
			if three := answered(t, nodes[1], d); three != one {
				t.Errorf("%s: over three shards:\n%s\nover one:\n%s", d.Pos, three, one)
			}
			return one
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

var milliseconds = regexp.MustCompile(`"processingTimeMs":\d+,`)

// answered formats the answer, one hit per line.
func answered(t *testing.T, n *solo.Node, d *datadriven.TestData) string {
	t.Helper()
	request := &api.FederatedRequest{Federation: federation(t, d), Proxied: d.HasArg("proxied")}
	for line := range strings.SplitSeq(d.Input, "\n") {
		request.Queries = append(request.Queries, query(t, strings.Fields(line)))
	}
	search := federated.NewNetworkSearch(federated.Config{Search: n.Search(), Network: func() *api.Network { return &api.Network{} }})
	answer, err := search.Federated(t.Context(), request)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	if answer.More != nil {
		answer.More.Close()
	}
	text := string(answer.AppendJSON(nil, "", false))
	text = strings.ReplaceAll(strings.ReplaceAll(text, `},{"id"`, "},\n {\"id\""), "}],", "}],\n ")
	return milliseconds.ReplaceAllString(text, "") + "\n"
}

// federation reads the options of the whole search.
func federation(t *testing.T, d *datadriven.TestData) api.Federation {
	f := api.Federation{Limit: api.DefaultSearchLimit}
	for _, arg := range d.CmdArgs {
		switch value := strings.Join(arg.Vals, ","); arg.Key {
		case "limit":
			f.Limit = *whole(t, value)
		case "offset":
			f.Offset = *whole(t, value)
		case "page":
			f.Page = whole(t, value)
		case "hitsPerPage":
			f.HitsPerPage = whole(t, value)
		case "distinct":
			f.Distinct = &value
		case "facets": // UID.FIELD+FIELD
			uid, fields, _ := strings.Cut(value, ".")
			f.FacetsByIndex = append(f.FacetsByIndex, api.FacetsOfIndex{IndexUID: uid, Facets: strings.Split(fields, "+")})
		case "proxied": // as another instance asks
		case "merge":
			f.MergeFacets = &api.MergeFacets{MaxValuesPerFacet: whole(t, value)}
		default:
			t.Fatalf("%s: unknown option %s", d.Pos, arg.Key)
		}
	}
	return f
}

// query reads one query of a federated search; + stands for a blank.
func query(t *testing.T, words []string) api.IndexQuery {
	q := api.IndexQuery{IndexUID: words[0], SearchRequest: *api.NewSearchRequest()}
	q.ShowRankingScore = true
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, ":")
		value = strings.ReplaceAll(value, "+", " ")
		switch name {
		case "q":
			q.Q = &value
		case "filter":
			q.Filter = jsonvalue.AppendString(nil, value)
		case "sort":
			q.Sort = append(q.Sort, value)
		case "weight":
			weight, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			q.FederationOptions = &api.FederationOptions{Weight: weight}
		case "retrieve":
			q.AttributesToRetrieve = strings.Fields(value)
		case "distinct":
			q.Distinct = &value
		case "score":
			score, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			q.RankingScoreThreshold = &score
		default:
			t.Fatalf("unknown option %s of a query", name)
		}
	}
	return q
}

func whole(t *testing.T, text string) *uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &n
}
