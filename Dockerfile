# docker build -t selfie-server .
# docker build --build-arg PRODUCT=selfie-server-cluster -t selfie-server-cluster .
#
# Two stages. The first builds one executable with the Swift libraries linked in. The image that runs contains the
# executable and the system libraries that it loads; no shell, and nothing else.

# With the registry, since podman knows none by default.
FROM docker.io/library/swift:6.3-bookworm AS build
# The server that can keep accounts in PostgreSQL and photos in S3 has clients for both, which need the certificates that
# they trust.
ARG PRODUCT=selfie-server
RUN if [ "$PRODUCT" = selfie-server-cluster ]; then more="libpq-dev libcurl4-openssl-dev ca-certificates"; fi \
 && apt-get update \
 && apt-get install -y --no-install-recommends libsqlite3-dev libssl-dev libcrypt-dev pkg-config $more \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Packages change less often than sources, so they get a layer of their own.
COPY Package.swift ./
COPY bin/setup bin/
RUN bin/setup
# Package.swift names the folder Tests, so it must exist, although nothing in it is built here.
COPY Tests Tests
# The schema, and the documentation that the pages of the server link to, are compiled in.
COPY Migrations Migrations
COPY Docs Docs
COPY Sources Sources
COPY bin/build bin/setup bin/
# Builds a tree as it will be in the image. Links are followed, because the loader looks for a library by the link's name.
# In one step, because podman rounds the times of files between steps, and swift would then compile everything again.
RUN server="$(bin/build "$PRODUCT")" \
 && install -D -s "$server" /image/usr/local/bin/selfie-server \
 && ldd /image/usr/local/bin/selfie-server | grep -o '/[^ ]*' | xargs cp --dereference --parents --target-directory=/image \
 && if [ "$PRODUCT" = selfie-server-cluster ]; then \
      install -D -m 644 -t /image/etc/ssl/certs /etc/ssl/certs/ca-certificates.crt; \
    fi \
 && install -d -m 1777 /image/tmp \
 && install -d -m 0700 /data/storage /data/backups

FROM scratch
COPY --from=build /image /
# Volumes get the owner and the permissions of these folders.
COPY --from=build --chown=10001:10001 /data /selfie
ENV PATH=/usr/local/bin HOST=0.0.0.0 PORT=3000 STORAGE_DIR=/selfie/storage
# A number, so that Kubernetes can verify that the user is not root.
USER 10001:10001
VOLUME /selfie/storage /selfie/backups
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["/usr/local/bin/selfie-server", "health"]
ENTRYPOINT ["/usr/local/bin/selfie-server"]
CMD ["serve"]
