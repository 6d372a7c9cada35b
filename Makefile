# make run    the whole product on http://localhost:8080
# make check  the quick part: format, lint, types, unit tests on SQLite
# make test   everything: both databases, real browser, kill -9
.DEFAULT_GOAL := build
SHELL := /bin/bash -o pipefail
export CGO_ENABLED ?= 0

GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
SOURCES  := $(shell find web/src web/public -type f 2>/dev/null) $(wildcard web/*.ts web/*.json web/*.html)

.PHONY: build run check test e2e bench lighthouse figures deployment fuzz faults lint generate setup clean sbom replica-drill

build: bin/simora

bin/simora: web/dist/index.html FORCE
	go build -trimpath -buildvcs=true -o bin/simora .

FORCE:

web/dist/index.html: web/node_modules/.ready $(SOURCES)
	npm --prefix web run build

# Not `npm ci`: it insists on the tools' builds for every platform, and not
# every registry has them all. The lock file is followed and not written.
web/node_modules/.ready: web/package-lock.json
	npm --prefix web install --no-save
	touch $@

run: build
	bin/simora serve

check: web/dist/index.html lint
	npm --prefix web run check
	go test -short $$(go list ./... | grep -v $(WITH_THE_BINARY))

# What runs the real binary, and the hostile models' whole table: minutes of
# waiting, and nothing to race in the test's own process.
WITH_THE_BINARY := -e /server/llm$$ $(foreach name,commands faults hostile network operations privacy replica,-e /tests/$(name)$$)

# CGO is off in the product; the race detector needs it.
test: setup check build
	CGO_ENABLED=1 go test -race -timeout 20m $$(go list ./server/... | grep -v -e /server/llm$$)
	go test -timeout 20m $$(go list ./... | grep $(WITH_THE_BINARY)) & waits=$$!; \
	CGO_ENABLED=1 go test -race -short ./server/llm && wait $$waits
	$(MAKE) e2e

# On a machine whose only network is itself, where the system lets us make one:
# the product asks nobody outside, and neither do its pages. The cable that leads
# nowhere is for the browser, which would find itself offline. One file: SPEC=journey
ALONE := unshare $(if $(filter 0,$(shell id -u)),,--map-root-user) --net
CABLE := ip link set lo up && ip link add outside type veth peer name nowhere && ip address add 192.0.2.1/24 dev outside && ip link set outside up && ip link set nowhere up
e2e: build tests/e2e/node_modules/.ready
	@if $(ALONE) sh -c '$(CABLE)'; then echo "browser tests without an outside network"; \
	  $(ALONE) sh -c '$(CABLE) && npm --prefix tests/e2e test -- $(SPEC)'; \
	else echo "browser tests WITH the outside network: no network namespace can be made here"; npm --prefix tests/e2e test -- $(SPEC); fi

tests/e2e/node_modules/.ready: tests/e2e/package-lock.json
	npm --prefix tests/e2e ci
	touch $@

lint:
	@test -z "$$(gofmt -l main.go server tests scenarios deploy web/*.go)" || { echo "not formatted (gofmt -w):"; gofmt -l main.go server tests scenarios deploy web/*.go; exit 1; }
	go vet ./...
	$(GOLANGCI) run ./...

# The console and the start with more sessions: make bench SESSIONS=1000000
SESSIONS ?= 100000
bench: web/dist/index.html
	go test -run "^$$" -bench "Turns|Pages|Memory" -benchtime 3x -timeout 1h ./tests/bench
	go test -run "^$$" -bench "Start" -benchtime 5x -timeout 1h ./tests/bench -sessions $(SESSIONS)
	go test -run "^$$" -bench "Console" -benchtime 20x -timeout 1h ./tests/bench -sessions $(SESSIONS)
	go test -run "^$$" -bench . -benchtime 2s ./server/engine

# Lighthouse on every public page; needs Chromium.
lighthouse: build tests/lighthouse/node_modules/.ready
	npm --prefix tests/lighthouse run measure

tests/lighthouse/node_modules/.ready: tests/lighthouse/package-lock.json
	npm --prefix tests/lighthouse ci
	touch $@

# Renders the deployment files with the tools' own code, a module of its own;
# -count=1 because what it reads lies outside that module.
deployment:
	cd deploy/check && go test -count=1 ./...

# The embedded database is replicated by Litestream, killed, and restored.
replica-drill: web/dist/index.html
	GOBIN=$(CURDIR)/bin go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18
	SIMORA_TEST_LITESTREAM=$(CURDIR)/bin/litestream go test -count=1 -v ./tests/replica

# The quality of understanding and judging on the labelled set.
figures:
	go run ./tests/figures

# What breaks the real product and attacks it, as docs/security.md lists it. In
# full it needs strace, and root for the small disk and for mounting.
FAULTS := ./tests/faults ./tests/hostile ./tests/network ./tests/privacy ./tests/commands ./tests/replica ./server/backup
faults: web/dist/index.html setup
	go test -count=1 -v $(FAULTS) | grep -E '^(--- |    --- (FAIL|SKIP)|ok|FAIL|panic)|_test.go:[0-9]+: ([0-9]|.*(cases|needs|only root|this machine))'

fuzz:
	for target in $$(grep -rhoE 'func (Fuzz[A-Za-z]+)' --include='*_test.go' server | awk '{print $$2}' | sort -u); do \
	  package=$$(grep -rlE "func $$target\(" --include='*_test.go' server | head -1 | xargs dirname); \
	  go test -run '^$$' -fuzz "^$$target$$" -fuzztime 30s ./$$package || exit 1; \
	done

# Files that are made from others and kept in the repository.
generate: web/node_modules/.ready
	npm --prefix web run schema
	go run ./tests/examples > web/src/content/example-runs.json

# What is in the binary, as CycloneDX: Go modules, and npm packages of its pages.
sbom: build
	mkdir -p release
	npm --prefix web sbom --sbom-format cyclonedx --package-lock-only --omit optional | go run ./tests/sbom bin/simora > release/simora.cdx.json

# What the tests need beyond Go, Node, npm, make, git and apt.
setup:
	./.ci/setup

clean:
	rm -rf bin release web/node_modules tests/e2e/node_modules tests/lighthouse/node_modules
	find web/dist -mindepth 1 ! -name .gitkeep -delete
