# The tag sends raft-boltdb's metrics to the same registry as everyone else's.
TAGS := hashicorpmetrics
export CGO_ENABLED ?= 0

.PHONY: build
build: ## one static binary, bin/shoal
	go build -trimpath -tags $(TAGS) -o bin/shoal .
