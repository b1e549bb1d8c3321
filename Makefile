# Everything a developer types. Nothing but Go and make is needed.

# The tag sends raft-boltdb's metrics to the same registry as everyone else's.
TAGS   := hashicorpmetrics
GO     := CGO_ENABLED=0 go
LINT   := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0
VULN   := golang.org/x/vuln/cmd/govulncheck@v1.1.4
SHARED ?= ../shared
REPLAY := $(SHARED)/conformance/replay.py
CASES  ?= $(SHARED)/conformance/transcripts/*.json.gz

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: build
build: ## one static binary, bin/shoal
	@$(GO) build -trimpath -tags $(TAGS) -o bin/shoal .

.PHONY: demo
demo: build ## three nodes, sample documents, three searches; serves until Ctrl-C (ONCE=1 ends instead)
	@$(GO) run -tags $(TAGS) ./cluster-test/demo -binary bin/shoal $(if $(ONCE),-once)

.PHONY: test
test: build ## all tests
	@# -count=1: some run a program that they build, and go cannot know when it has changed.
	$(GO) test -tags $(TAGS) -timeout 10m -count=1 ./...

.PHONY: race
race: ## all tests under the race detector
	CGO_ENABLED=1 go test -race -tags $(TAGS) -timeout 20m -count=1 ./...

.PHONY: lint
lint: ## vet and golangci-lint
	$(GO) vet -tags $(TAGS) ./...
	$(GO) run $(LINT) run --build-tags $(TAGS)

.PHONY: cluster
cluster: build ## real processes: leader killed during an import, a node joins, power loss
	$(GO) run -tags $(TAGS) ./cluster-test/failover -binary bin/shoal

.PHONY: twins
twins: build ## random requests to 1x1, 1x4 and 3x3 (nodes x shards), every answer compared (ARGS='-seed 7 -ops 5000')
	$(GO) run -trimpath -tags $(TAGS) ./cluster-test/twins -binary bin/shoal $(ARGS)

.PHONY: bulk
bulk: build ## 1 GiB in one request to one node and to three: no node takes more than 400 MiB (ARGS='-mib 256 -nodes 3')
	$(GO) run -tags $(TAGS) ./cluster-test/bulk -binary bin/shoal $(ARGS)

.PHONY: conformance
conformance: build ## recorded answers of the reference against one node (CASES=..., ARGS=...)
	$(REPLAY) --start 'bin/shoal --http-addr 127.0.0.1:{port} --db-path {dir}' $(ARGS) $(CASES)

.PHONY: conformance-cluster
conformance-cluster: build ## the same against three nodes
	$(REPLAY) -j 1 --start 'bin/shoal dev --nodes 3 --http-addr 127.0.0.1:{port} --db-path {dir}' $(ARGS) $(CASES)

.PHONY: sdk
sdk: build ## the test suite of the reference's Go client against three nodes (RUN=regexp: a part)
	$(GO) run -tags $(TAGS) ./cluster-test/sdk -binary bin/shoal $(if $(RUN),-run '$(RUN)')

.PHONY: clients
clients: build ## the Python and JavaScript clients use three nodes (needs Python or Node)
	$(GO) run -tags $(TAGS) ./cluster-test/clients -binary bin/shoal

.PHONY: schemathesis
schemathesis: build ## 10,000 requests made from /openapi.json: no 5xx, no panic, no hang (needs Python; EXAMPLES=25 SEED=1)
	./cluster-test/schemathesis.sh bin/shoal $(or $(EXAMPLES),25) $(or $(SEED),1)

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (10s)
	@./docs/fuzz.sh $(or $(FUZZTIME),10s)

.PHONY: bench
bench: ## benchmarks beside the code
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchmem ./...

.PHONY: tidy
tidy: ## go.mod, formatting and known vulnerabilities
	go mod tidy
	gofmt -l -w .
	$(GO) run $(VULN) -tags $(TAGS) ./...

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
