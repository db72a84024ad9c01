# Two stages: Swift builds one executable with Swift's own libraries inside; the image that runs has
# it, the migrations and the system libraries that it needs.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libsqlite3-dev libssl-dev libcrypt-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Packages change more rarely than sources: a layer of their own.
COPY Package.swift ./
RUN swift package resolve
# Nothing of Tests is built, nor are migrations, but Package.swift names them, and they must be there.
COPY Tests Tests
COPY Migrations Migrations
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
# By number, so that it can be seen from outside not to be root.
USER 10001:10001
VOLUME /selfie/storage
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["selfie-server", "health"]
ENTRYPOINT ["selfie-server"]
CMD ["serve"]
