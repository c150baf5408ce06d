# PostgreSQL's official image with l4, which is created in the first database:
#   docker build -t l4 . && docker run -e POSTGRES_PASSWORD=... -v /logs:/logs:ro l4
ARG BASE=postgres:17-bookworm

FROM $BASE AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make postgresql-server-dev-$PG_MAJOR \
	libpcre2-dev libzstd-dev libarchive-dev zlib1g-dev liblzma-dev libbz2-dev liblz4-dev libxxhash-dev
COPY . /l4
RUN make -C /l4 with_llvm=no && make -C /l4 with_llvm=no DESTDIR=/root install

FROM $BASE
RUN apt-get update && apt-get install -y --no-install-recommends libpcre2-8-0 libzstd1 libarchive13 zlib1g && rm -rf /var/lib/apt/lists/*
COPY --from=build /root/usr /usr
RUN echo 'CREATE EXTENSION l4;' > /docker-entrypoint-initdb.d/l4.sql
