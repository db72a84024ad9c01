// swift-tools-version:6.2
import PackageDescription

// Separate from the other benchmarks, because it needs the headers of PostgreSQL. The symbolic links in Sources lead to
// the server's targets.
let package = Package(
  name: "postgresql-benchmark",
  targets: [
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CPostgreSQL"),
    .target(name: "CLinux"),
    .target(name: "Platform", dependencies: ["CLinux"]),
    .target(name: "Cryptography", dependencies: ["COpenSSL", "CCrypt", "Platform"]),
    .target(name: "SQL", dependencies: ["Cryptography", "Platform"]),
    .target(name: "PostgreSQL", dependencies: ["SQL", "CPostgreSQL", "CLinux", "Cryptography", "Platform"]),
    .target(name: "Measuring"),
    .executableTarget(
      name: "pool-reads", dependencies: ["PostgreSQL", "SQL", "Cryptography", "Platform", "Measuring"]),
  ],
  swiftLanguageModes: [.v6]
)

// As in the server's package.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
}
