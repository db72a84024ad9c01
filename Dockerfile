# Two stages. The first builds one executable with the Swift libraries linked in. The image that runs contains the
# executable, the migrations, and the system libraries that they need.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libsqlite3-dev libssl-dev libcrypt-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Packages change less often than sources, so they get a layer of their own.
COPY Package.swift ./
RUN swift package resolve
# Package.swift names the folders Tests and Migrations, so they must exist, although nothing in them is built here.
COPY Tests Tests
COPY Migrations Migrations
# The pages of the server link to its documentation, which is compiled in.
COPY Docs Docs
COPY Sources Sources
RUN swift build -c release --product selfie-server --static-swift-stdlib -Xswiftc -use-ld=lld \
 && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/selfie-server" /out/selfie-server

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libsqlite3-0 libssl3 libcrypt1 libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 selfie \
 && useradd --uid 10001 --gid selfie --no-create-home --home-dir /selfie --shell /usr/sbin/nologin selfie \
 && install -d -o selfie -g selfie -m 0700 /selfie/storage
WORKDIR /selfie
COPY --from=build /out/selfie-server /usr/local/bin/selfie-server
COPY Migrations Migrations
ENV HOST=0.0.0.0 PORT=3000 STORAGE_DIR=/selfie/storage
# A number, so that Kubernetes can verify that the user is not root.
USER 10001:10001
VOLUME /selfie/storage
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["selfie-server", "health"]
ENTRYPOINT ["selfie-server"]
CMD ["serve"]
