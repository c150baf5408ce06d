# l4: a PostgreSQL extension that diagnoses failed LLM training jobs from their logs.
#   make demo        sets everything up, loads real failed jobs in a private cluster and prints their diagnosis
#   make test        sets everything up, builds and runs all tests in a private cluster
#   make docs        writes docs/reference.md and docs/steps.md from the COMMENTs
#   make fuzz        looks for inputs that break the pure algorithms, FUZZ_SECONDS=... for each target (FUZZ_TARGETS=...; all)
#   make test-versions   as root: runs the tests on every supported server, each in a chroot of its own (VERSIONS="17 18")
#   make dist        packs a release: l4-VERSION.zip
#   make test-crash  ends and kills imports at random moments: CRASH_ENDINGS=500 CRASH_KILLS=200, an hour; prints the counts
#   make test-citus  l4 on a cluster of three servers, where Citus is installed (or in L4_CITUS); with the jobs of DATA=...
#   make test-sanitized  regression tests and CALLS=100 random calls of each function, by gcc's sanitizers
#   make bench-NAME  runs the benchmark test/bench/NAME.sh, with DATA=... as its argument
#   make, make install, make installcheck   as with any PGXS extension
# Where the sources are: here, or elsewhere in a build with VPATH (pg_buildext).
SOURCE_DIR := $(or $(VPATH),$(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST)))))
sources = $(sort $(patsubst $(SOURCE_DIR)/%,%,$(wildcard $(addprefix $(SOURCE_DIR)/,$(1)))))

EXTENSION = l4
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(SOURCE_DIR)/l4.control)

MODULE_big = l4
OBJS := $(patsubst %.c,%.o,$(call sources,src/*/*.c))
ALL_HEADERS := $(call sources,src/*/*.h)

# The extension script is joined from its ordered parts. By its full name, so that make does not take one that lies beside the
# sources for it.
SQL_PARTS := $(call sources,sql/[0-9][0-9]_*.sql)
SCRIPT := $(CURDIR)/sql/l4--$(EXTVERSION).sql
# From each older version that sql/upgrade knows there is a script to this one, made of the same parts.
UPGRADES := $(patsubst sql/upgrade/%.sql,$(CURDIR)/sql/l4--%--$(EXTVERSION).sql,$(call sources,sql/upgrade/*.*.*.sql))
DATA_built = $(SCRIPT) $(UPGRADES)

REGRESS := $(patsubst test/sql/%.sql,%,$(call sources,test/sql/*.sql))
REGRESS_OPTS = --inputdir=$(SOURCE_DIR)/test --load-extension=l4
ISOLATION := $(patsubst test/specs/%.spec,%,$(call sources,test/specs/*.spec))
ISOLATION_OPTS = --inputdir=$(SOURCE_DIR)/test --load-extension=l4

PG_CPPFLAGS = -I$(SOURCE_DIR)/src
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
SHLIB_LINK = -lpcre2-8 -lzstd -larchive -lz -llzma -lbz2 -llz4
EXTRA_CLEAN = $(wildcard src/*/*.o) $(wildcard src/*/*.bc) test/results output_iso evidence

PG_CONFIG ?= pg_config
# The goals that set the machine up must work where PostgreSQL's build files are still missing, so they include nothing.
SETUP_GOALS = demo test test-crash test-citus test-sanitized test-versions docs setup fuzz dist
ifneq ($(filter-out $(SETUP_GOALS) bench-%,$(or $(MAKECMDGOALS),all)),)
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq ($(wildcard $(PGXS)),)
$(error PostgreSQL's build files are missing: install them, as root with "make setup", or give PG_CONFIG=/path/to/pg_config)
endif
# A server built with LLVM wants bitcode too; do without it where the compiler for that is missing. The check is of the very
# compiler the server was built with, and "override" because PGXS itself sets with_llvm.
PGXS_CLANG := $(shell sed -n 's/^CLANG *= *//p' $(dir $(PGXS))../Makefile.global)
ifeq ($(shell command -v $(or $(PGXS_CLANG),clang) 2>/dev/null),)
override with_llvm = no
endif
include $(PGXS)
ifneq ($(filter 13 14,$(firstword $(subst ., ,$(VERSION)))),)
$(error l4 needs PostgreSQL 15 or later; $(PG_CONFIG) is of $(VERSION))
endif

# The server's flags are for the compiler it was built with; clang does not know all of GCC's, and needs more than it for LTO.
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
ifneq ($(IS_CLANG),)
override CFLAGS := $(filter-out -flto% -ffat-lto-objects,$(CFLAGS)) -Wno-unknown-warning-option -Wno-ignored-attributes \
	-Wno-ignored-optimization-argument -Wno-unused-command-line-argument
override LDFLAGS := $(filter-out -flto% -ffat-lto-objects,$(LDFLAGS))
endif

# The DTW kernels run along anti-diagonals, which pay only when vectorised: GCC 12 does so at -O3 (clang at -O2). The import
# takes 3.5 % fewer instructions a line then.
override CFLAGS := $(patsubst -O2,-O3,$(CFLAGS))

# A line passes through some twenty files: compiled as one the library takes another 3 % fewer instructions for it. Nobody
# replaces a function of a loaded library, so that calls within one need not allow for it. Some servers are built with pointers
# to frames, for profilers: without them it is 1 % less.
ifeq ($(IS_CLANG),)
override CFLAGS := $(filter-out -fno-omit-frame-pointer,$(CFLAGS)) -flto=2 -fno-semantic-interposition
endif
endif

$(SCRIPT): $(SQL_PARTS) l4.control
	cat $(filter %.sql,$^) > $@

$(CURDIR)/sql/l4--%--$(EXTVERSION).sql: sql/upgrade/1_drop.sql sql/upgrade/%.sql sql/upgrade/3_rows.sql \
		sql/upgrade/4_grants.sql sql/upgrade/script.awk $(SQL_PARTS)
	{ cat $(wordlist 1,3,$^); cat $(wordlist 6,$(words $^),$^) | awk -f $(word 5,$^); cat $(word 4,$^); } > $@.tmp
	mv $@.tmp $@

# PGXS does not track headers, and makes no folders.
$(OBJS) $(OBJS:.o=.bc): $(ALL_HEADERS) $(SOURCE_DIR)/Makefile
ifneq ($(SOURCE_DIR),.)
$(shell mkdir -p sql $(sort $(dir $(OBJS))))
endif

.PHONY: demo test test-crash test-citus test-sanitized test-versions setup docs fuzz dist bench-page
export PG_CONFIG
setup:
	@test/setup.sh
demo: setup
	@test/run.sh demo
test:
	@test/setup.sh tests
	@test/run.sh test
test-versions:
	@test/versions.sh $(VERSIONS)
test-crash:
	@test/setup.sh tests
	@test/run.sh crash $(or $(CRASH_ENDINGS),500) $(or $(CRASH_KILLS),200)
test-citus:
	@test/setup.sh tests
	@test/run.sh citus $(if $(filter command,$(origin DATA)),$(abspath $(DATA)))
test-sanitized:
	@test/setup.sh tests
	@test/run.sh sanitized $(or $(CALLS),100)
docs: setup
	@test/run.sh docs
fuzz:
	@test/setup.sh fuzz
	@test/run.sh fuzz $(or $(FUZZ_SECONDS),60) $(FUZZ_TARGETS)
bench-page:
	@test/setup.sh page
	@test/run.sh bench-page
bench-%: setup
	@test/run.sh bench-$* $(if $(filter command,$(origin DATA)),$(abspath $(DATA)))

# What is committed, with the scripts that make joins from their parts, so that whoever unpacks it sees them.
DIST = l4-$(EXTVERSION)
dist: $(SCRIPT) $(UPGRADES)
	@git -C $(SOURCE_DIR) diff --quiet HEAD || { echo "l4: there are changes that are not committed" >&2; exit 1; }
	git -C $(SOURCE_DIR) archive --format=zip -o $(CURDIR)/$(DIST).zip --prefix=$(DIST)/sql/ \
		$(addprefix --add-file=,$^) --prefix=$(DIST)/ HEAD
