# Everything that is needed is installed by these targets: Go modules from the
# module proxy, and nothing else but git and bash for make test.

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
TOOLS = $(GO) tool -modfile=.ci/tools/go.mod

.PHONY: all build test lint fmt bench bench-short test-agents test-browser fuzz cross clean

all: lint test

build: ## the binary, in bin/; static, because the C library would make every start slower
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X main.release=$(VERSION)" -o bin/brickoven ./cmd/brickoven

PACKAGES ?= ./...
test: ## every test, or those of PACKAGES; TESTFLAGS=-race watches for data races
	$(GO) test -timeout 40m $(TESTFLAGS) $(PACKAGES)

test-agents: ## the real agent CLIs, installed from the npm registry
	@dir=$$(tests/agents/install) || { code=$$?; if [ $$code = 75 ]; then echo "*** SKIPPED: the npm registry cannot be reached"; exit 0; fi; exit $$code; }; \
	BRICKOVEN_TEST_AGENTS=$$dir $(GO) test -count=1 -timeout 30m ./tests/agents/

test-browser: ## the pages, in Debian's Chromium; SCREENSHOTS=DIR keeps pictures of them
	@tests/browser/install || { code=$$?; if [ $$code = 75 ]; then echo "*** SKIPPED: the browser tests; what they need cannot be reached"; exit 0; fi; exit $$code; }; \
	cd tests/browser && $(GO) vet . && $(GO) test -count=1 -timeout 20m .

lint: ## the linters, and the house's import table as one of them
	$(GO) vet ./...
	$(TOOLS) golangci-lint run ./...

fmt: ## format the code
	gofmt -w $$(git ls-files '*.go')

bench: build ## measure beside the peers and print ratios
	$(GO) run ./tests/bench

bench-short: build ## the same without what takes long; fails where a ratio is clearly broken
	$(GO) run ./tests/bench -short -rounds 3

fuzz: ## run each fuzz target for a while
	.ci/fuzz 20s

cross: ## build for every platform
	.ci/cross

clean:
	rm -rf bin dist
