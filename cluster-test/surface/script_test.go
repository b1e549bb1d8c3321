package surface

// request is one line of the script.
type request struct {
	method, path string
	body         string // JSON; what is not JSON is CSV
	// status is what it must answer; 0: what /openapi.json says for success.
	status int
}

// searching has every member of a search that this edition takes.
const (
	searching = `"q":"river","offset":0,"limit":3,"attributesToRetrieve":["title"],"attributesToCrop":["title:2"],"cropLength":3,"cropMarker":"~",
		"attributesToHighlight":["*"],"highlightPreTag":"<b>","highlightPostTag":"</b>","showMatchesPosition":true,"filter":"year > 1900","sort":["year:asc"],
		"distinct":"year","facets":["year"],"matchingStrategy":"frequency","attributesToSearchOn":["title"],"rankingScoreThreshold":0.1,"locales":["eng"],
		"hybrid":{"semanticRatio":0.5,"embedder":"own"},"vector":[1,2],"retrieveVectors":true,"showRankingScore":true,"showRankingScoreDetails":true,"showPerformanceDetails":true`
	searchQuery = `q=river&offset=0&limit=3&attributesToRetrieve=title&attributesToCrop=title&cropLength=3&cropMarker=~&attributesToHighlight=*&highlightPreTag=b&highlightPostTag=c` +
		`&showMatchesPosition=true&filter=year+%3E+1900&sort=year:asc&distinct=year&facets=year&matchingStrategy=all&attributesToSearchOn=title&rankingScoreThreshold=0.1&locales=eng` +
		`&hybridEmbedder=own&hybridSemanticRatio=0.5&vector=1,2&retrieveVectors=true&showRankingScore=true&showRankingScoreDetails=true&showPerformanceDetails=true`
	selection = `uids=1&batchUids=1&canceledBy=1&types=indexCreation&statuses=succeeded&indexUids=films&afterEnqueuedAt=2020-01-01&beforeEnqueuedAt=2099-01-01` +
		`&afterStartedAt=2020-01-01&beforeStartedAt=2099-01-01&afterFinishedAt=2020-01-01&beforeFinishedAt=2099-01-01`
	similarQuery = `embedder=own&offset=0&limit=2&attributesToRetrieve=title&retrieveVectors=true&filter=year+%3E+1&showRankingScore=true&showRankingScoreDetails=true&showPerformanceDetails=true&rankingScoreThreshold=0.1`
	csv          = "id;title;year\n31;Thirty one;1931\n"
	stage        = `{"uid":"3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968","name":"n","description":"d","actions":["search"],"indexes":["films"],"expiresAt":"2099-01-01"}`
	anEmbedder   = `{"source":"rest","model":"m","revision":"r","pooling":"useModel","apiKey":"k","dimensions":2,"binaryQuantized":false,"documentTemplate":"t","documentTemplateMaxBytes":9,
		"url":"http://127.0.0.1:9","indexingFragments":{"a":{"value":1}},"searchFragments":{"a":{"value":1}},"request":"{{text}}","response":"{{embedding}}","headers":{"a":"b"},
		"searchEmbedder":{"source":"rest"},"indexingEmbedder":{"source":"rest"},"distribution":{"mean":0.5,"sigma":0.5}}`
)

// script is sent from the top to the bottom; settings follow after its first part.
var script = []request{
	{method: "GET", path: "/"},
	{method: "GET", path: "/health"},
	{method: "GET", path: "/livez"},
	{method: "GET", path: "/readyz"},
	{method: "GET", path: "/version"},
	{method: "GET", path: "/openapi.json"},
	{method: "PATCH", path: "/experimental-features", body: `{"metrics":true,"logsRoute":true,"editDocumentsByFunction":true,"containsFilter":true,"dynamicSearchRules":true,"network":true,
		"getTaskDocumentsRoute":true,"taskQueueCompactionRoute":true,"compositeEmbedders":true,"chatCompletions":true,"multimodal":true,"foreignKeys":true,
		"disableDocumentsFetchQueue":true,"legacySearch":false,"renderRoute":true,"tasksStreamingRoute":true,"mcpRoute":true}`},
	{method: "GET", path: "/experimental-features"},

	{method: "POST", path: "/indexes", body: `{"uid":"films","primaryKey":"id"}`},
	{method: "POST", path: "/indexes", body: `{"uid":"others"}`},
	{method: "PATCH", path: "/indexes/others", body: `{"uid":"books","primaryKey":"id"}`},
	{method: "GET", path: "/indexes?offset=0&limit=1"},
	{method: "GET", path: "/indexes/films"},
	{method: "PATCH", path: "/indexes/films/settings", body: `{"filterableAttributes":["year","title"],"sortableAttributes":["year"],"embedders":{"own":{"source":"userProvided","dimensions":2}},
		"foreignKeys":[{"foreignIndexUid":"books","fieldName":"book"}],"localizedAttributes":[{"attributePatterns":["title"],"locales":["eng"]}],
		"chat":{"description":"d","documentTemplate":"t","documentTemplateMaxBytes":9,"searchParameters":{"limit":2}}}`},
	{method: "PATCH", path: "/indexes/films/settings", body: `{"embedders":{"all":` + anEmbedder + `}}`, status: 400},
	{method: "PATCH", path: "/indexes/films/settings/embedders", body: `{"all":` + anEmbedder + `}`, status: 400},
	{method: "GET", path: "/indexes/films/settings"},

	{method: "POST", path: "/indexes/films/documents?primaryKey=id&customMetadata=m&skipCreation=false", body: `[{"id":1,"title":"A river","year":1990,"book":1,"_vectors":{"own":[1,0]}},
		{"id":2,"title":"Two rivers","year":1991,"_vectors":{"own":[0,1]}},{"id":3,"title":"No water","year":1992,"_vectors":{"own":null}}]`},
	{method: "POST", path: "/indexes/books/documents?csvDelimiter=%3B", body: csv},
	{method: "PUT", path: "/indexes/books/documents?primaryKey=id&csvDelimiter=%3B&customMetadata=m&skipCreation=true", body: csv},
	{method: "GET", path: "/indexes/films/documents?offset=0&limit=2&fields=id&retrieveVectors=true&ids=1&filter=year+%3E+1&sort=year:asc"},
	{method: "GET", path: "/indexes/films/documents?useNetwork=true", status: 400},
	{method: "POST", path: "/indexes/films/documents/fetch", body: `{"offset":0,"limit":2,"fields":["id"],"retrieveVectors":true,"ids":[1],"filter":"year > 1","sort":["year:asc"]}`},
	{method: "POST", path: "/indexes/films/documents/fetch", body: `{"useNetwork":true}`},
	{method: "GET", path: "/indexes/films/documents/1?fields=id&retrieveVectors=true"},
	{method: "GET", path: "/indexes/films/documents/1?useNetwork=true", status: 400},
	{method: "POST", path: "/indexes/films/fields", body: `{"offset":0,"limit":5,"filter":{"attributePatterns":["*"],"displayed":true,"searchable":true,"sortable":false,"distinct":false,"rankingRule":false,"filterable":true}}`},
	{method: "GET", path: "/stats?showInternalDatabaseSizes=true&sizeFormat=human"},
	{method: "GET", path: "/indexes/films/stats?showInternalDatabaseSizes=true&sizeFormat=raw"},

	{method: "GET", path: "/indexes/films/search?" + searchQuery},
	{method: "GET", path: "/indexes/films/search?page=1&hitsPerPage=2"},
	{method: "GET", path: "/indexes/films/search?personalizeUserContext=x", status: 400},
	{method: "GET", path: "/indexes/films/search?useNetwork=true"},
	{method: "POST", path: "/indexes/films/search", body: `{` + searching + `}`},
	{method: "POST", path: "/indexes/films/search", body: `{"page":1,"hitsPerPage":2}`},
	{method: "POST", path: "/indexes/films/search", body: `{"q":"a","rankingRules":["words","year:desc"]}`},
	{method: "POST", path: "/indexes/films/search", body: `{"inlineRule":{"uid":"once","precedence":1,"active":true,"conditions":{"time":{"start":"2020-01-01T00:00:00Z"},"query":{"isEmpty":true},"filter":{"values":{"year":1992}}},
		"actions":{"pin":[{"indexUid":"films","id":"1","position":0}],"scale":[{"indexUid":"films","ids":["2"],"filter":"year > 1","weight":2}]}}}`},
	{method: "POST", path: "/indexes/films/search", body: `{"inlineRule":{"uid":"once","actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}}`},
	{method: "POST", path: "/indexes/films/search", body: `{"media":{"a":1}}`, status: 400},
	{method: "POST", path: "/indexes/films/search", body: `{"personalize":{"userContext":"x"}}`, status: 400},
	{method: "POST", path: "/indexes/films/search", body: `{"useNetwork":true}`},
	{method: "POST", path: "/indexes/films/facet-search", body: `{"facetQuery":"19","facetName":"title","q":"river","filter":"year > 1","matchingStrategy":"all","attributesToSearchOn":["title"],
		"rankingScoreThreshold":0.1,"locales":["eng"],"exhaustiveFacetCount":true,"vector":[1,2],"hybrid":{"semanticRatio":0.5,"embedder":"own"}}`},
	{method: "POST", path: "/indexes/films/facet-search", body: `{"facetName":"title","media":{}}`, status: 400},
	{method: "POST", path: "/indexes/films/facet-search", body: `{"facetName":"title","useNetwork":true}`},
	{method: "POST", path: "/indexes/films/facet-search", body: `{"facetName":"title","q":"river","hybrid":{"semanticRatio":0.5,"embedder":"own"}}`},
	{method: "POST", path: "/indexes/films/facet-search", body: `{"facetName":"title","q":"river","hybrid":{"semanticRatio":1,"embedder":"own"}}`, status: 400}, // no text can be embedded
	{method: "GET", path: "/indexes/films/similar?id=1&" + similarQuery},
	{method: "POST", path: "/indexes/films/similar", body: `{"id":1,"offset":0,"limit":2,"filter":"year > 1","embedder":"own","attributesToRetrieve":["title"],"retrieveVectors":true,
		"showRankingScore":true,"showRankingScoreDetails":true,"showPerformanceDetails":true,"rankingScoreThreshold":0.1}`},
	{method: "POST", path: "/multi-search", body: `{"queries":[{"indexUid":"films",` + searching + `},{"indexUid":"books","page":1,"hitsPerPage":1}]}`},
	{method: "POST", path: "/multi-search", body: `{"federation":{"limit":5,"offset":0,"facetsByIndex":{"films":["year"]},"mergeFacets":{"maxValuesPerFacet":5},"distinct":"year","showPerformanceDetails":true},
		"queries":[{"indexUid":"films","q":"river","federationOptions":{"weight":0.5,"queryPosition":0}}]}`},
	{method: "POST", path: "/multi-search", body: `{"federation":{"page":1,"hitsPerPage":2},"queries":[{"indexUid":"films"}]}`},
	{method: "POST", path: "/multi-search", body: `{"federation":{"personalize":{"userContext":"x"}},"queries":[{"indexUid":"films","media":{},"useNetwork":true,"personalize":{"userContext":"x"},"federationOptions":{"remote":"none"}}]}`, status: 400},
	{method: "POST", path: "/render-template", body: `{"template":{"kind":"inlineDocumentTemplate","inline":"{{doc.title}}"},"input":{"kind":"indexDocument","indexUid":"films","id":"1"}}`},
	{method: "POST", path: "/render-template", body: `{"template":{"kind":"documentTemplate","indexUid":"films","embedder":"own","fragment":"f","documentTemplateMaxBytes":9},"input":{"kind":"inlineDocument","inline":{}}}`, status: 400},
	{method: "POST", path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"indexUid":"films","q":"river"}}}`},
	{method: "POST", path: "/mcp?sessionId=none", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, status: 404},
	{method: "POST", path: "/cluster/explain", body: `{"indexUid":"films","q":"river","limit":2}`},

	{method: "POST", path: "/indexes/films/documents/edit?customMetadata=m", body: `{"filter":"year = 1992","context":{"by":1},"function":"doc.year += context.by"}`},
	{method: "POST", path: "/indexes/films/documents/delete?customMetadata=m", body: `{"filter":"year = 1993"}`},
	{method: "POST", path: "/indexes/films/documents/delete-batch?customMetadata=m", body: `[2]`},
	{method: "DELETE", path: "/indexes/films/documents/1?customMetadata=m"},
	{method: "DELETE", path: "/indexes/books/documents?customMetadata=m"},
	{method: "POST", path: "/indexes/films/compact"},
	{method: "POST", path: "/swap-indexes", body: `[{"indexes":["films","books"],"rename":false}]`},
	{method: "DELETE", path: "/indexes/films/settings"},

	{method: "POST", path: "/keys", body: stage},
	{method: "GET", path: "/keys?offset=0&limit=5"},
	{method: "GET", path: "/keys/3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968"},
	{method: "PATCH", path: "/keys/3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968", body: `{"name":"x","description":null}`},
	{method: "PATCH", path: "/cluster/keys/3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968", body: `{"requestsPerSecond":5,"searchesAtOnce":null}`},
	{method: "GET", path: "/cluster/keys/3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968"},
	{method: "DELETE", path: "/keys/3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968"},
	{method: "POST", path: "/webhooks", body: `{"url":"http://127.0.0.1:9/","headers":{"a":"b"}}`},
	{method: "GET", path: "/webhooks"},
	{method: "GET", path: "/webhooks/{made}"},
	{method: "PATCH", path: "/webhooks/{made}", body: `{"url":"http://127.0.0.1:9/x","headers":{"a":null}}`},
	{method: "DELETE", path: "/webhooks/{made}"},
	{method: "PATCH", path: "/network", body: `{"remotes":{"far":{"url":"http://127.0.0.1:9","searchApiKey":"a","writeApiKey":"b"}}}`},
	{method: "PATCH", path: "/network", body: `{"self":"far","leader":"far","shards":{"s":{"remotes":["far"],"addRemotes":["far"],"removeRemotes":[]}},"previousShards":{},"previousRemotes":{}}`, status: 400},
	{method: "GET", path: "/network"},
	{method: "POST", path: "/network/control", body: `{"origin":{}}`, status: 451},
	{method: "PATCH", path: "/chats/desk/settings", body: `{"source":"azureOpenAi","orgId":"o","projectId":"p","apiVersion":"v","deploymentId":"d","baseUrl":"http://127.0.0.1:9","apiKey":"k",
		"prompts":{"system":"a","searchDescription":"b","searchQParam":"c","searchFilterParam":"d","searchIndexUidParam":"e"}}`},
	{method: "GET", path: "/chats/desk/settings"},
	{method: "GET", path: "/chats/desk"},
	{method: "GET", path: "/chats?offset=0&limit=2"},
	{method: "POST", path: "/chats/desk/chat/completions", body: `{"model":"m","messages":[],"stream":true}`},
	{method: "DELETE", path: "/chats/desk/settings"},
	{method: "DELETE", path: "/chats/desk"},
	{method: "PATCH", path: "/dynamic-search-rules/r?customMetadata=m", body: `{"description":"d","precedence":1,"active":true,"conditions":{"time":{"start":"2020-01-01T00:00:00Z"},"query":{"words":"river"},
		"filter":{"values":{"year":1990}}},"actions":[{"selector":{"indexUid":"films","id":"1"},"action":{"type":"pin","position":0}}]}`},
	{method: "PATCH", path: "/dynamic-search-rules/s", body: `{"conditions":{"query":{"isEmpty":true}},"actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}`},
	{method: "PATCH", path: "/dynamic-search-rules/t", body: `{"actions":{"pin":[{"indexUid":"films","id":"1","position":0}],
		"scale":[{"indexUid":"films","ids":["2"],"weight":2},{"filter":"year > 1990","weight":0.5}]}}`},
	{method: "GET", path: "/dynamic-search-rules/r/target"},
	{method: "POST", path: "/dynamic-search-rules", body: `{"showTarget":true}`},
	{method: "POST", path: "/dynamic-search-rules", body: `{"offset":0,"limit":2,"filter":{"query":"d","active":true}}`},
	{method: "GET", path: "/dynamic-search-rules/r"},
	{method: "DELETE", path: "/dynamic-search-rules/r?customMetadata=m"},
	{method: "DELETE", path: "/dynamic-search-rules?customMetadata=m"},

	{method: "POST", path: "/dumps"},
	{method: "POST", path: "/snapshots"},
	{method: "POST", path: "/export", body: `{"url":"http://{node}","apiKey":"k","payloadSize":"1 MiB","indexes":{"none*":{"filter":"id = 1","overrideSettings":true}}}`},
	{method: "POST", path: "/logs/stderr", body: `{"target":"info"}`},
	{method: "DELETE", path: "/logs/stream"},
	{method: "GET", path: "/metrics"},
	{method: "GET", path: "/cluster/status"},
	{method: "GET", path: "/cluster/state"},
	{method: "GET", path: "/cluster/rights"},
	{method: "GET", path: "/cluster/activity"},
	{method: "GET", path: "/cluster/debug?node=n2&cpuSeconds=0"},
	{method: "GET", path: "/cluster/debug?cpuSeconds=61", status: 400},
	{method: "POST", path: "/cluster/verify?node=n2"},
	{method: "POST", path: "/cluster/verify?node=nobody", status: 400},
	{method: "POST", path: "/cluster/promote", status: 400},
	{method: "PATCH", path: "/cluster/slow-log", body: `{"thresholdMs":250,"showQuery":false}`},
	{method: "GET", path: "/cluster/slow-log"},
	{method: "PATCH", path: "/cluster/indexes/films", body: `{"shards":2,"replicas":2}`},
	{method: "POST", path: "/cluster/nodes/n3/drain"},
	{method: "DELETE", path: "/cluster/nodes/n3/drain"},
	{method: "DELETE", path: "/cluster/nodes/nobody", status: 400},
	{method: "DELETE", path: "/cluster/nodes/nobody?force=true", status: 400},

	{method: "GET", path: "/tasks?limit=2&from=9&reverse=true&" + selection},
	{method: "GET", path: "/batches?limit=2&from=9&reverse=true&" + selection},
	{method: "GET", path: "/tasks/1"},
	{method: "GET", path: "/batches/1"},
	{method: "GET", path: "/tasks/1/documents", status: 404},
	{method: "POST", path: "/tasks/cancel?" + selection},
	{method: "DELETE", path: "/tasks?" + selection},
	{method: "POST", path: "/tasks/compact"},
	{method: "DELETE", path: "/indexes/books"},
}
