package limits

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// row is one line of the table of docs/limits.md. What enforces it docs_test.go checks.
type row struct{ limit, answer string }

// try is how a row is tried: by a request beyond the limit, by hand, or by a test of
// another package that has the means.
type try struct {
	attack *attack
	hand   func(t *testing.T, v *victim)
	test   string // folder and name
}

var root = filepath.Join("..", "..")

func limitRows(t *testing.T) []row {
	t.Helper()
	text := string(must(os.ReadFile(filepath.Join(root, "docs", "limits.md"))))
	var rows []row
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.TrimSpace(cells[0]) == "limit" {
			continue
		}
		rows = append(rows, row{strings.TrimSpace(cells[0]), cells[3]})
	}
	return rows
}

// tries has one entry for each row, by its first cell.
func tries() map[string]try {
	const search = "/indexes/things/search"
	send := func(path string, body []byte, packed bool, want int) try {
		return try{attack: &attack{"", path, body, packed, want}}
	}
	return map[string]try{
		"body of a request, unpacked":                                   send("/indexes", []byte(`{"uid":"`+fill("a", 96)+`"}`), true, 413),
		"head of a request":                                             send(search+"?q="+strings.Repeat("a", 200<<10), nil, false, 431),
		"body of a search, unpacked":                                    send(search, text("q", fill("a", 4.1)), false, 413),
		"values in the body of a search":                                send(search, list(`{"x":[`, 240_000, same("1"), `]}`), false, 413),
		"values in another JSON body":                                   send("/indexes", list(`[`, 3_800_000, same("1"), `]`), true, 413),
		"depth of a JSON body":                                          send(search, []byte(`{"x":`+strings.Repeat("[", 127)+strings.Repeat("]", 127)+`}`), false, 400),
		"bodies of searches that wait":                                  {test: "httpfront/routing TestBodiesOfWaitingSearchesShareABudget"},
		"queries of a multi-search":                                     send("/multi-search", list(`{"queries":[`, 1001, same(`{"indexUid":"things"}`), `]}`), false, 413),
		"queries of a federated search":                                 send("/multi-search", list(`{"federation":{},"queries":[`, 501, same(`{"indexUid":"things"}`), `]}`), false, 413),
		"text of a query that is read":                                  send(search, text("q", fill(" ", 0.3)+"lantern"), false, 200),
		"filter of a request":                                           send(search, text("filter", strings.Repeat("group = 1 OR ", 25_000)+"group = 1"), false, 400),
		"lines of the audit log that wait for `--audit-webhook`":        {test: "node/observe TestLinesThatDoNotFitAreCounted"},
		"documents that expire":                                         {test: "coordinator/schedule/expiry TestATaskDeletesABoundedNumberOfExpiredDocuments"},
		"aliases of a cluster":                                          {test: "coordinator/admin TestTheNumberOfAliasesIsBounded"},
		"conditions in braces (`variants.{...}`)":                       {test: "query/filter TestBracesHaveTheLimitsOfFilters"},
		"depth of a filter":                                             send(search, text("filter", strings.Repeat("(", 50)+"group = 1"+strings.Repeat(")", 50)), false, 400),
		"slow requests that a node remembers":                           {test: "httpfront/metrics TestOnlyTheNewestSlowRequestsAreRemembered"},
		"samples of a node's activity":                                  {test: "node/report TestAHistoryOfADayIsThinnedAndKeepsTheWorstTimes"},
		"points of `GET /cluster/history`, lines of `GET /cluster/log`": send("/cluster/log?lines=1001", nil, false, 400),
		"analytics": {test: "node/analytics TestFrequentQueriesAreFoundAmongAMillion"},
		"queries and indexes of a report of analytics": {test: "httpfront TestReportsAreForKeysWithAllActionsAndNameTheirFaults"},
		"words searched inside (`infixOnAttributes`)":  {test: "coordinator/driver TestAgainstTwin"},
		"`sort`": send(search, list(`{"sort":[`, 1001, same(`"group:asc"`), `]}`), false, 400),
		"`highlightPreTag`, `highlightPostTag`, `cropMarker`":                send(search, text("cropMarker", strings.Repeat("a", 1025)), false, 400),
		"`_foreign` conditions of a filter":                                  {test: "coordinator/documents TestForeignConditionsAreBounded"},
		"documents in place of the foreign keys of a page":                   {test: "coordinator/search/foreign TestForeignDocumentsOfAPageAreBounded"},
		"actions of the rule of one search (`inlineRule`)":                   {test: "coordinator/pinning TestASearchRuleIsBounded"},
		"hits of a group (`hitsPerGroup`), groups of a page":                 send(search, []byte(`{"distinct":"g","hitsPerGroup":101}`), false, 400),
		"ranking rules of one search (`rankingRules`)":                       send(search, list(`{"rankingRules":[`, 33, same(`"words"`), `]}`), false, 400),
		"page of a personalized search":                                      {test: "embed/rerank TestAPageThatIsTooLargeIsRefused"},
		"sessions of language models (`GET /mcp`), answers in one that wait": {test: "httpfront/mcp TestSessionsAreBounded"},
		"sessions of language models of an API key, with its tenant tokens":  {test: "httpfront/mcp TestOneKeyHoldsAQuarterOfTheSessions"},
		"a message of a language model, an answer to it":                     {test: "httpfront TestMessagesAndAnswersOfModelsAreBounded"},
		"streams of tasks and batches":                                       {test: "coordinator/queue TestStreamsAreBounded"},
		"connections of clients":                                             {test: "httpfront/connection TestTooManyConnectionsAreRefusedInWords"},
		"connections of clients while a node starts":                         {test: "node/startup TestMoreConnectionsThanADoorHoldsAreClosed"},
		"ranking of a search, time":                                          {hand: cutOff},
		"a search as a whole, time":                                          {test: "httpfront/routing TestASearchEndsAfterItsTime"},
		"filter, facets, sorting of documents after the client has left":     {test: "shard/filter TestAFilterEndsSoonAfterItsContext"},
		"head of a request, time":                                            {hand: slowHead},
		"body of a request, pause":                                           {test: "httpfront/connection TestABodyThatStandsStillIsCutOff"},
		"body of a search, time":                                             {test: "httpfront/routing TestTheBodyOfASearchHasADeadline"},
		"body of a request that is refused for its key":                      {hand: refusedBody},
		"rest of a body that another refusal left":                           {test: "httpfront/connection TestARefusedBodyThatIsSmallKeepsItsConnection"},
		"answer, time":                            {test: "httpfront/connection TestAConnectionWhoseAnswerNobodyReadsIsCut"},
		"hits of an answer in memory":             {test: "cluster-test/limits TestAnAnswerOfHundredsOfMiBTakesGigabytes"},
		"answers of more than that":               {test: "httpfront/routing TestLargeAnswersOfOneClientTakeHalfOfThePlaces"},
		"answers of a multi-search together":      {test: "cluster-test/limits TestAnAnswerOfHundredsOfMiBTakesGigabytes"},
		"idle connection":                         {test: "httpfront/connection TestConnectionsThatIdleAreClosed"},
		"tenant token":                            {test: "httpfront/auth TestAForgedTenantTokenTakesLittleMemory"},
		"searches that run":                       {test: "httpfront/queue TestPlacesGoToTheClientWithTheFewestSearches"},
		"searches that wait":                      {test: "httpfront/queue TestSearchQueue"},
		"connections to `--metrics-addr`":         {test: "node/observe TestWatchersHoldFewConnections"},
		"unproven connections to `--peer-addr`":   {test: "node/peer TestStrangersHoldFewConnectionsAndKeepNoNodeOut"},
		"unproven connections to `--gossip-addr`": {test: "node/gossip TestStreamsOfStrangersTakeLittleMemoryAndKeepNobodyOut"},
		"packets to `--gossip-addr`":              {test: "node/gossip TestPacketsOfStrangersLeaveOneLine"},
		"log lines that strangers cause":          {test: "node/observe TestALineOfOneKindIsWrittenAtMostOnceASecond"},
		"searches of clients that search all the time for more than 50 ms each": {test: "httpfront/queue TestAClientWithLongSearchesLeavesACoreFree"},
		"searches of a client that is new beside others":                        {test: "httpfront/queue TestANewClientGetsOnePlaceAtFirst"},
		"requests of an API key with a limit, on a node":                        {hand: limitedKey},
		"searches at once of an API key with a limit, on a node":                {test: "httpfront TestSearchesAtOnceOfAKey"},
		"searches of a chat completion":                                         {test: "httpfront TestChatCompletions"},
		"rounds of a conversation with a model, searches in one":                {test: "coordinator/chat TestAModelThatFailsEndsTheStreamWithAnError"},
		"silence of a model, a whole conversation":                              {test: "coordinator/chat TestAModelThatFailsEndsTheStreamWithAnError"},
		"what a model says in a round, what it is given of a search":            {test: "coordinator/chat TestAModelThatFailsEndsTheStreamWithAnError"},
		"indexes and values of a facet that a model is told of":                 {test: "httpfront TestChatCompletions"},
		"models that have figures of their own in `/metrics`":                   {test: "node/observe TestClientsCannotInventFiguresWithoutEnd"},
		"what builds leave on a node before their batch has a result":           {test: "cluster-test/chaos TestImportsThatFailLeaveNothingBehindOnAnyHolder"},
		"columns of a CSV":                 {test: "api/payload TestTheColumnsOfACSVHeaderAreBounded"},
		"documents that a CSV makes":       {test: "api/payload TestACSVCannotBecomeManyTimesAsLarge"},
		"name of a zone (`--zone`)":        {test: "node/config TestNamesOfZonesAreBounded"},
		"members of a document":            {test: "api/payload TestObjectsOfTooManyMembersAreNotKept"},
		"names of the fields of an upload": {test: "coordinator/ingest TestLongNamesAboveManyFailTheTaskInBoundedMemory"},
		"memory for a byte of an upload":   {test: "api/payload TestTheMemoryForAnUploadIsBounded"},
		"memory of uploads that are received and built at once, any number": {test: "cluster-test/limits TestFourUploadsAtOnceStayWithinTheMemoryLimit"},
		"text of a template":                   {test: "embed/prompt TestATemplateThatIsTooLargeOrTooDeepIsRefused"},
		"template, for one document or search": {test: "embed/prompt TestATemplateThatDoublesATextCannotTakeMemory"},
		"edit function, for one document":      {test: "query/script TestRuntimeErrors"},
	}
}

// TestEveryRowOfTheLimitsHolds reads docs/limits.md and tries each row.
func TestEveryRowOfTheLimitsHolds(t *testing.T) {
	rows, tries := limitRows(t), tries()
	v := newVictim(t)
	v.key = masterKey
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.limit] = true
		t.Run(r.limit, func(t *testing.T) {
			c, ok := tries[r.limit]
			switch {
			case !ok:
				t.Fatal("docs/limits.md has a row that nothing tries: add it to tries")
			case c.hand != nil:
				c.hand(t, v)
			case c.test != "":
				dir, name, _ := strings.Cut(c.test, " ")
				if !declared(t, dir, `func `+name+`\(`) {
					t.Errorf("%s has no %s", dir, name)
				}
			default:
				status, answer, err := v.send(c.attack)
				if err != nil || status != c.attack.want || !strings.Contains(r.answer, fmt.Sprint(status)) {
					t.Errorf("%d %s %v; want %d, the table says %s", status, answer, err, c.attack.want, r.answer)
				}
			}
		})
	}
	for name := range tries {
		if !seen[name] {
			t.Errorf("docs/limits.md has no row %q", name)
		}
	}
}

// declared tells whether a file of the folder matches.
func declared(t *testing.T, dir, pattern string) bool {
	t.Helper()
	for _, file := range must(filepath.Glob(filepath.Join(root, dir, "*.go"))) {
		if regexp.MustCompile(pattern).Match(must(os.ReadFile(file))) {
			return true
		}
	}
	return false
}

// cutOff gives searches of the index no time.
func cutOff(t *testing.T, v *victim) {
	ranked := func() bool {
		t.Helper()
		_, answer, err := v.Do(t.Context(), "POST", "/indexes/things/search", map[string]any{"q": "lantern harbour", "limit": 1, "showRankingScore": true})
		var found struct {
			Hits []struct {
				Score float64 `json:"_rankingScore"`
			}
		}
		if err == nil {
			err = json.Unmarshal(answer, &found)
		}
		if err != nil || len(found.Hits) != 1 {
			t.Fatalf("%s %v", answer, err)
		}
		return found.Hits[0].Score > 0
	}
	if !ranked() {
		t.Error("a search is not ranked with the usual time")
	}
	v.write("PUT", "/indexes/things/settings/search-cutoff-ms", 0)
	if ranked() {
		t.Error("a search without time is ranked")
	}
	v.write("DELETE", "/indexes/things/settings/search-cutoff-ms", nil)
}

// slowHead sends half a head and waits.
func slowHead(t *testing.T, v *victim) {
	c, err := net.Dial("tcp", v.HTTP)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begin := time.Now()
	if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost:"); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(begin.Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, c)
	if took := time.Since(begin); err != nil || took < 9*time.Second {
		t.Errorf("closed after %s (%v)", took, err)
	}
}

// refusedBody sends the head of a large request without a key.
func refusedBody(t *testing.T, v *victim) {
	c, err := net.Dial("tcp", v.HTTP)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "POST /indexes/things/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n["); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Fatalf("answered %s", res.Status)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("the connection goes on: %v", err)
	}
}

// limitedKey gives a key a limit and sends more than that.
func limitedKey(t *testing.T, v *victim) {
	const uid = "8f7b0a52-1c3d-4e6f-9a0b-5c6d7e8f9a0b"
	do := func(method, path, body string) []byte {
		status, answer, err := v.Do(t.Context(), method, path, json.RawMessage(body))
		if err != nil || status >= 300 {
			t.Fatalf("%s %s: %d %s %v", method, path, status, answer, err)
		}
		return answer
	}
	var made struct{ Key string }
	if err := json.Unmarshal(do("POST", "/keys", `{"uid":"`+uid+`","actions":["search"],"indexes":["*"],"expiresAt":null}`), &made); err != nil {
		t.Fatal(err)
	}
	do("PATCH", "/cluster/keys/"+uid, `{"requestsPerSecond":2}`)
	boss := v.key
	defer func() { v.key = boss }()
	v.key = made.Key
	seen := map[int]int{}
	for range 10 {
		status, _, err := v.send(&attack{path: "/indexes/things/search"})
		if err != nil {
			t.Fatal(err)
		}
		seen[status]++
	}
	if seen[200] < 2 || seen[429] < 1 || seen[200]+seen[429] != 10 {
		t.Errorf("answers of 10 requests: %v", seen)
	}
}
