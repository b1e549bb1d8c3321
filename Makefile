# Everything a developer types. Nothing but Go and make is needed.

# The first tag sends raft-boltdb's metrics to the same registry as everyone else's, the
# second leaves out pages of gRPC that keep methods alive which nobody calls (docs/adr/0026).
TAGS   := hashicorpmetrics,grpcnotrace
# One form for the program and its tests: what one has compiled the other uses.
GO     := CGO_ENABLED=0 GOFLAGS=-trimpath go
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
	@command -v go >/dev/null || { echo "Go is missing: install it from your system's packages in the version that go.mod names, or use the image (docs/deploying.md)"; exit 1; }
	@test -e bin/shoal || echo "The first build takes some minutes."
	@$(GO) build -ldflags '-s -w' -tags $(TAGS) -o bin/shoal .

.PHONY: dictionaries
dictionaries: ## the files that cut Japanese and Korean, for a program in bin
	@$(GO) run -tags $(TAGS) ./text/dictionary/make bin/dictionaries

.PHONY: check-model
check-model: ## explore the model of votes, leases and forgetting in full, both forms (needs spin and gcc)
	@docs/model/run.sh

.PHONY: demo
demo: build ## three nodes, sample documents, three searches; serves until Ctrl-C (ONCE=1 ends instead)
	@$(GO) run -tags $(TAGS) ./cluster-test/demo -binary bin/shoal $(if $(ONCE),-once)

.PHONY: test
test: build ## all tests
	$(GO) test -tags $(TAGS) -timeout 10m $$($(GO) list -tags $(TAGS) ./... | grep -v /cluster-test)
	@# -count=1: they run bin/shoal, and go cannot know when it has changed.
	@# -p 2: what they promise in seconds holds for two clusters on the machine, not for many.
	SHOAL_TEST_BINARY=$(CURDIR)/bin/shoal $(GO) test -tags $(TAGS) -timeout 20m -count=1 -p 2 $$($(GO) list -tags $(TAGS) ./... | grep /cluster-test)

.PHONY: unit
unit: ## tests that start no process, an answer within a minute
	@# -p 4: some wait for clocks and elections, others use the cores meanwhile.
	$(GO) test -tags $(TAGS) -short -timeout 5m -p 4 $$($(GO) list -tags $(TAGS) ./... | grep -v /cluster-test)

.PHONY: race
race: ## all tests under the race detector (PART=3/8: the third of eight shares of those that start no process, without shard, which takes ten minutes)
	CGO_ENABLED=1 go test -race -tags $(TAGS) -timeout 20m -count=1 $(if $(PART),-short) $$($(GO) list -tags $(TAGS) ./... $(if $(PART),| grep -v -e /cluster-test -e /shard$$ | awk 'NR % $(word 2,$(subst /, ,$(PART))) == $(word 1,$(subst /, ,$(PART))) % $(word 2,$(subst /, ,$(PART)))'))

.PHONY: lint
lint: ## vet and golangci-lint
	$(GO) vet -tags $(TAGS) ./...
	$(GO) run $(LINT) run --build-tags $(TAGS)

.PHONY: cluster
cluster: build ## real processes: leader killed during an import, a node joins, power loss
	$(GO) run -tags $(TAGS) ./cluster-test/failover -binary bin/shoal

.PHONY: chaos
chaos: ## all rows of docs/failures.md in their long form, kills, freezes and cuts of real processes under writes (ARGS='-minutes 30 -seed 1': each endless test)
	$(GO) test -tags $(TAGS) -timeout 24h -count=1 -v -run 'TestRow|TestNoAcknowledgedWriteIsLost|TestPartitionsLoseNoAcknowledgedWrite|TestHistor' ./cluster-test/chaos -args $(or $(ARGS),-minutes 5)

.PHONY: moves
moves: ## each of three nodes is replaced under writes, the leader is killed at every step: votes by time, the longest pause of writes
	$(GO) test -tags $(TAGS) -timeout 30m -count=1 -v -run TestRow23Nodes ./cluster-test/chaos -args -minutes 1

.PHONY: pods
pods: ## the life of a StatefulSet as processes: rolling restart, changed addresses, lost volumes, more pods and fewer, under load (ARGS=-long: the times of the manifest)
	$(GO) test -tags $(TAGS) -timeout 30m -count=1 -v ./cluster-test/pods -args -pods $(ARGS)

.PHONY: sim
sim: ## whole clusters in one process on a virtual clock, faults by seed (SEEDS=1000 FROM=1 ARGS='-times 5 -tell -loglevel INFO')
	$(GO) test -tags $(TAGS) -timeout 24h -count=1 -v -run TestSeeds ./cluster-test/sim -args -from $(or $(FROM),1) -seeds $(or $(SEEDS),100) $(ARGS)

.PHONY: powerloss
powerloss: ## the power fails at every sync of the real log and of a node, unsynced pages lost, torn, reordered (CUTS=5000 SEED=1; Linux)
	$(GO) test -tags $(TAGS) -timeout 24h -count=1 -v ./cluster-test/powerloss -args -cuts $(or $(CUTS),5000) -seed $(or $(SEED),1)

.PHONY: model
model: build ## a whole life of a cluster with all kinds of tasks and harms, every 202 accounted for by a model (ARGS='-minutes 30 -seed 1')
	$(GO) run -tags $(TAGS) ./cluster-test/ledger -binary bin/shoal $(ARGS)

.PHONY: recovery
recovery: build ## how long clients wait when a node is killed, frozen, cut off, full or empty: a table (ARGS='-times 20 -only leader -copies 0': copies by size)
	$(GO) run -tags $(TAGS) ./cluster-test/recovery -binary bin/shoal $(ARGS)

.PHONY: twins
twins: build ## random requests to 1x1, 1x4 and 3x3 (nodes x shards) while shards are cut and moved, every answer compared (ARGS='-seed 7 -ops 5000 -shapes 1x1,5x8 -against OLDER-PROGRAM')
	$(GO) run -tags $(TAGS) ./cluster-test/twins -binary bin/shoal $(ARGS)

.PHONY: nearest
nearest: build ## 10,000 random searches by vector on 1x1, 1x4 and 3x3, documents changed and deleted between, every answer compared with brute force (ARGS='-seed 7 -searches 500 -memory 256MiB')
	$(GO) run -tags $(TAGS) ./cluster-test/nearest -binary bin/shoal $(ARGS)

.PHONY: differ
differ: build ## random life of one node and of three, the first difference in its shortest form (ARGS='-seed 7 -steps 100000', or two addresses)
	$(GO) run -tags $(TAGS) ./cluster-test/differ -binary bin/shoal $(ARGS)

.PHONY: bulk
bulk: build ## 1 GiB in one request to one node and to three: no node takes more than 400 MiB (ARGS='-mib 256 -nodes 3')
	$(GO) run -tags $(TAGS) ./cluster-test/bulk -binary bin/shoal $(ARGS)

.PHONY: size
size: build ## speed at any size: indexing, searches warm, cold and beside writes (ARGS='-documents 5000000 -memory 1GiB -writes -rate 1000')
	$(GO) run -tags $(TAGS) ./cluster-test/size -binary bin/shoal $(ARGS)

.PHONY: vectors
vectors: build ## searches by vector with filters, warm and cold, and that none misses a neighbour (ARGS='-documents 1000000 -dimensions 768 -memory 1GiB')
	$(GO) run -tags $(TAGS) ./cluster-test/size -binary bin/shoal -dimensions 384 -chunk 5000 $(ARGS)

.PHONY: scale
scale: build ## what searches cost on clusters of several shapes, throughput under equal shares of the CPU (ARGS='-shapes 1x1,6x6 -turns 10', '-against OLDER-PROGRAM -profiles FOLDER')
	$(GO) run -tags $(TAGS) ./cluster-test/scale -binary bin/shoal -shared $(SHARED) $(ARGS)

.PHONY: many
many: build ## ten thousand small indexes on three nodes: how fast they are made, memory of each, idle CPU, lists, restarts (ARGS='-indexes 1000 -profiles FOLDER')
	$(GO) run -tags $(TAGS) ./cluster-test/many -binary bin/shoal $(ARGS)

.PHONY: conformance
conformance: build ## recorded answers of the reference (which had no dictionaries) against one node (CASES=..., ARGS=...)
	$(REPLAY) --start 'bin/shoal --dictionaries none --http-addr 127.0.0.1:{port} --db-path {dir}' $(ARGS) $(CASES)

.PHONY: conformance-cluster
conformance-cluster: build ## the same against three nodes
	$(REPLAY) -j 1 --start 'bin/shoal dev --nodes 3 --dictionaries none --http-addr 127.0.0.1:{port} --db-path {dir}' $(ARGS) $(CASES)

.PHONY: sdk
sdk: build ## the test suite of the reference's Go client against three nodes (RUN=regexp: a part)
	$(GO) run -tags $(TAGS) ./cluster-test/sdk -binary bin/shoal $(if $(RUN),-run '$(RUN)')

.PHONY: clients
clients: build ## the Python, JavaScript and Go clients and those of the Model Context Protocol use three nodes, InstantSearch does in a browser (what is not installed is left out)
	$(GO) run -tags $(TAGS) ./cluster-test/clients -binary bin/shoal
	$(GO) test -tags $(TAGS) -count=1 -v -run TestInstantSearch ./cluster-test/browser -args -instantsearch

.PHONY: accessibility
accessibility: build ## every part of the console is held against the rules of axe-core, which npm fetches (needs Chromium)
	$(GO) test -tags $(TAGS) -count=1 -v -run Axe ./cluster-test/browser -args -accessibility

.PHONY: schemathesis
schemathesis: build ## 10,000 requests made from /openapi.json: no 5xx, no panic, no hang (needs Python; EXAMPLES=25 SEED=1)
	./cluster-test/schemathesis.sh bin/shoal $(or $(EXAMPLES),25) $(or $(SEED),1)

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (10s); PART=3/8 takes the third of eight shares
	@./docs/fuzz.sh $(or $(FUZZTIME),10s) $(or $(PART),1/1)

.PHONY: bench
bench: ## benchmarks beside the code
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchmem ./...

DEPLOY := cd deploy/build && $(GO) run

.PHONY: image
image: dictionaries ## container image without Docker, bin/shoal-image.tar (TAG=shoal:latest ARCH=amd64)
	GOOS=linux GOARCH=$(or $(ARCH),amd64) $(GO) build -tags $(TAGS) -ldflags '-s -w' -o bin/shoal-linux .
	@$(DEPLOY) ./image -binary ../../bin/shoal-linux -dictionaries ../../bin/dictionaries -arch $(or $(ARCH),amd64) -tag $(or $(TAG),shoal:latest) -out ../../bin/shoal-image.tar

.PHONY: release
release: ## archives, packages, checksums and SBOM in dist/ (VERSION=0.2.0 ONLY=linux/amd64)
	$(DEPLOY) ./release $(if $(VERSION),-version $(VERSION)) $(if $(ONLY),-only $(ONLY))

.PHONY: chart
chart: ## lint and render the Helm chart, check it and the alerts, write deploy/kubernetes/shoal.yaml (METRICS=URL,... of running nodes)
	$(DEPLOY) ./check -manifests ../kubernetes/shoal.yaml $(if $(METRICS),-metrics $(METRICS))

.PHONY: packages
packages: ## image, archive and package are made, unpacked and run: they cut Japanese and Korean
	cd deploy/build && go test -count=1 -v ./check

.PHONY: tidy
tidy: ## go.mod, formatting and known vulnerabilities
	go mod tidy
	gofmt -l -w .
	$(GO) run $(VULN) -tags $(TAGS) ./...

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
