# `make demo` shows all of Darkroom on a fresh Debian 12 machine; `make test` runs every test.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.PHONY: help setup setup-tests build build-tests demo clean-demo test thorough check clients benchmarks sweep chaos move pairs lists suggestions hostile http browser photos matrix model lint deb deb-test image release image-test backup-test

BUILT_TESTS := swift test --configuration release --skip-build
# Many tests wait for a database or for other processes. If all run at once, they wait for each other.
TESTS_AT_ONCE ?= 8

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Check the Swift toolchain and install missing Debian packages
	@scripts/setup build run demo

setup-tests: ## Install what the tests need, too: Debian packages and Python packages
	@scripts/setup
	@printf '%s\n' 'clients/python/environment' 'scripts/python-environment object-store scripts/object-store.txt' \
		'scripts/python-environment reference Tests/Photos/Reference/requirements.txt' \
		'scripts/python-environment web-reference Tests/Web/Reference/requirements.txt' \
		'scripts/python-environment drivers Tests/Client/Drivers/requirements.txt' | xargs -P 2 -I {} bash -c '{} >/dev/null'

build: setup ## Build a release of darkroom, darkroom-renderer and darkroom-dev into .build/release
	@swift build --configuration release

demo: ## Publish a dozen photos, or yours (PHOTOS=dir, PLACE=where for those that do not say it), and start the demo app
	@demo/run --check
	@scripts/setup build run demo
	@for product in darkroom darkroom-renderer; do swift build --configuration release --product $$product || exit; done
	@demo/run

clean-demo: ## Stop the demo's server, worker and database, and remove .darkroom
	@demo/clean

# In one build: of two, the first ends with one module at a time.
build-tests: setup-tests
	@swift build --configuration release --build-tests

test: build-tests ## Build and run all tests (TESTS=PATTERN runs those whose name matches)
	@scripts/run-tests --at-once $(TESTS_AT_ONCE) $(if $(TESTS),--filter '$(TESTS)')

# Suites that other steps of the check run.
ELSEWHERE := BenchmarkSmokeTests PairTests FilteredListTests SuggestReferenceTests HostileArgumentTests QueueModelTests MatrixTests HTTPTests BrowserTests

thorough: build-tests ## Run all tests with everything that they can try, where `make test` tries one example of each kind
	@DARKROOM_CHECK=all scripts/run-tests --at-once $(TESTS_AT_ONCE) $(ELSEWHERE:%=--skip %)

check: build-tests ## For a release: everything that takes longer than the tests, with a table at the end (ONLY=PATTERN)
	@scripts/check $(if $(ONLY),'$(ONLY)')

clients: build-tests ## Run the tests of the libraries for apps: Swift, Python and the examples
	@$(BUILT_TESTS) --filter 'DarkroomClientTests|IntegrationTests.(PythonTests|EnqueueTests)'

benchmarks: build-tests ## Run every benchmark at a hundredth of its size: each finishes and prints all of its figures
	@DARKROOM_CHECK=all $(BUILT_TESTS) --filter IntegrationTests.BenchmarkSmokeTests

sweep: build ## Stall workers, servers and connections for 0 to 30 s: every job must be finished once
	@.build/release/darkroom-dev chaos gaps

chaos: build ## Break workers, renderers, servers and the store for MINUTES (1): every upload must end once (SEED=7, STORE=bucket)
	@set -e; for store in $(or $(STORE),directory bucket); do \
		.build/release/darkroom-dev chaos storm $(if $(SEED),--seed $(SEED)) --minutes $(or $(MINUTES),1) --store $$store; done

move: build ## Move the media store of PHOTOS (300) into an object store as docs/media-store.md says, while people upload: nothing is lost
	@scripts/move-test $(or $(PHOTOS),300)

pairs: build-tests ## Run all that people and workers do in pairs on the same posts: nobody waits, nothing deadlocks
	@DARKROOM_PAIRS=$(or $(SEED),all) $(BUILT_TESTS) --filter IngestionTests.PairTests

lists: build-tests ## Compare every list of posts under a thousand filters with a plain query of all posts
	@set -o pipefail; DARKROOM_CHECK=all $(BUILT_TESTS) --filter PostsTests.FilteredListTests | grep -v ' Test case '

suggestions: build-tests ## Type the name of every city, its beginnings and some typos, and count what is suggested
	@set -o pipefail; DARKROOM_CHECK=all $(BUILT_TESTS) --filter GazetteerTests.SuggestReferenceTests

hostile: build-tests ## Pass everything hostile in every argument of every public function, and print what it costs the server
	@set -o pipefail; DARKROOM_CHECK=all $(BUILT_TESTS) --filter JobStoreTests.HostileArgumentTests | grep -v ' Test case '

http: build-tests ## Test the HTTP API with every hostile value, requests made from its document, slow clients and broken stores (SIZE=long)
	@DARKROOM_HTTP=$(or $(SIZE),all) $(BUILT_TESTS) --filter IntegrationTests.HTTPTests

browser: build-tests ## Try every page in Chromium, on a phone and on a desk; pictures of them are in .build/screenshots
	@DARKROOM_BROWSER=all $(BUILT_TESTS) --filter IntegrationTests.BrowserTests

photos: build ## Compare photos as they are rendered with how Chromium shows them: the pairs are in .build/beside/index.html
	@scripts/photos-beside

matrix: build-tests ## Render photos of every kind with 1 to 251 megapixels: each is accepted or exceeds a limit
	@set -o pipefail; DARKROOM_MATRIX=$(or $(FORMAT),all) DARKROOM_MATRIX_SKIP=$(SKIP) $(BUILT_TESTS) --filter ImagingTests.MatrixTests \
		| grep --line-buffered -v ' Test case '

model: build-tests ## Search more histories of the queue, and replay them on PostgreSQL (some minutes)
	@DARKROOM_CHECK=all $(BUILT_TESTS) --filter QueueModelTests.SearchTests
	@DARKROOM_CHECK=all $(BUILT_TESTS) --filter QueueModelTests.ReplayTests

deb: build ## Make a Debian package of the release build in .build/deb
	@scripts/deb

deb-test: build ## Install, use, upgrade and remove the Debian package in a fresh Debian 12 (needs root and debootstrap)
	@scripts/deb-test

image: build ## Build the container image darkroom from the Debian package, with docker or buildah
	@scripts/image

release: build ## Make the files of a release in .build/release-files: the package, the image, and checksums (needs docker or buildah)
	@scripts/release

image-test: build ## Build the image on a fresh Debian 12, and have it publish a photo as docker/compose.yaml says (needs root and buildah)
	@scripts/image-test

backup-test: build ## Lose an installation under load and restore it by the commands of docs/backup.md (needs root, rsync and cjpeg)
	@scripts/backup-test

lint: setup ## Check the format of every Swift file
	@swift format lint --strict --parallel --recursive Package.swift Sources Tools Tests examples
