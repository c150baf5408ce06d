# l4: a PostgreSQL extension that diagnoses failed LLM training jobs from their logs.
#   make demo        sets everything up, loads real failed jobs in a private cluster and prints their diagnosis
#   make test        sets everything up, builds and runs all tests in a private cluster
#   make docs        writes docs/reference.md from the COMMENTs of the extension's objects
#   make fuzz        looks for inputs that break the pure algorithms, FUZZ_SECONDS=... for each target (FUZZ_TARGETS=...; all)
#   make bench-NAME  runs the benchmark test/bench/NAME.sh, with DATA=... as its argument
#   make, make install, make installcheck   as with any PGXS extension
EXTENSION = l4
EXTVERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" l4.control)

MODULE_big = l4
SOURCES = $(sort $(wildcard src/*/*.c))
OBJS = $(SOURCES:.c=.o)
ALL_HEADERS = $(wildcard src/*/*.h)

# The extension script is joined from its ordered parts.
SQL_PARTS = $(sort $(wildcard sql/[0-9][0-9]_*.sql))
DATA_built = sql/l4--$(EXTVERSION).sql
DATA = $(filter-out sql/l4--$(EXTVERSION).sql,$(wildcard sql/l4--*--*.sql))

TESTS = $(sort $(wildcard test/sql/*.sql))
REGRESS = $(patsubst test/sql/%.sql,%,$(TESTS))
REGRESS_OPTS = --inputdir=test --load-extension=l4
ISOLATION = $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test --load-extension=l4

PG_CPPFLAGS = -I$(srcdir)/src
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
SHLIB_LINK = -lpcre2-8 -lzstd -larchive -lz -llzma -lbz2 -llz4
EXTRA_CLEAN = $(wildcard src/*/*.o) $(wildcard src/*/*.bc) test/results output_iso

PG_CONFIG ?= pg_config
# The goals that set the machine up must work where PostgreSQL's build files are still missing, so they include nothing.
SETUP_GOALS = demo test docs setup fuzz
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
endif

sql/l4--$(EXTVERSION).sql: $(SQL_PARTS) l4.control
	cat $(SQL_PARTS) > $@

# PGXS does not track headers.
$(OBJS) $(OBJS:.o=.bc): $(ALL_HEADERS) Makefile

# The DTW kernels run along anti-diagonals, which pay only when vectorised; GCC 12 does not do so at -O2 by itself.
src/algorithms/dtw.o: CFLAGS += -ftree-vectorize -fvect-cost-model=dynamic

.PHONY: demo test setup docs fuzz
export PG_CONFIG
setup:
	@test/setup.sh
demo: setup
	@test/run.sh demo
test:
	@test/setup.sh tests
	@test/run.sh test
docs: setup
	@test/run.sh docs
fuzz:
	@test/setup.sh fuzz
	@test/run.sh fuzz $(or $(FUZZ_SECONDS),60) $(FUZZ_TARGETS)
bench-%: setup
	@test/run.sh bench-$* $(if $(filter command,$(origin DATA)),$(abspath $(DATA)))
