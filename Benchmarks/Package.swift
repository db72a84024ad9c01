// swift-tools-version:6.2
import PackageDescription

// The benchmarks are a separate package, so that building or testing the server does not build them. The symbolic links
// in Sources lead to the server's targets.
let package = Package(
  name: "benchmarks",
  targets: [
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CLinux"),
    .target(name: "Platform", dependencies: ["CLinux"]),
    .target(name: "Cryptography", dependencies: ["COpenSSL", "CCrypt", "Platform"]),
    .target(name: "HTTPMessages", dependencies: ["Platform"]),
    .target(name: "HTTPServer", dependencies: ["HTTPMessages", "Cryptography", "COpenSSL", "Platform", "CLinux"]),
    .target(name: "ObjectStorage", dependencies: ["CCurl", "HTTPMessages", "Cryptography", "Platform"]),
    .target(name: "Measuring"),
    .target(name: "LoadTesting", dependencies: ["Measuring", "Platform"]),

    .executableTarget(name: "hostile-crowd", dependencies: ["LoadTesting", "Measuring", "Platform", "CLinux"]),
    .executableTarget(name: "memory-waves", dependencies: ["LoadTesting", "Measuring", "Platform"]),
    .executableTarget(
      name: "unreserved-memory", dependencies: ["HTTPServer", "HTTPMessages", "Measuring", "Platform"]),
    .executableTarget(name: "soak", dependencies: ["LoadTesting", "Measuring", "Platform"]),

    // The programs that the cases of bin/bench run in addition to wrk.
    .executableTarget(name: "bcrypt-alone", dependencies: ["CCrypt", "Measuring", "Platform"]),
    .executableTarget(name: "durable-write", dependencies: ["Measuring", "Platform"]),
    .executableTarget(name: "first-answer", dependencies: ["Measuring"]),
    .executableTarget(name: "json-escaping", dependencies: ["HTTPMessages", "Measuring"]),
    .executableTarget(name: "list-checker", dependencies: ["LoadTesting", "Measuring", "Platform"]),
    .executableTarget(name: "idle-connections", dependencies: ["Measuring"]),
    .executableTarget(name: "keep-alive-clients", dependencies: ["LoadTesting", "Measuring", "CLinux"]),
    .executableTarget(name: "many-uploads", dependencies: ["Measuring", "Platform"]),
    .executableTarget(
      name: "object-store", dependencies: ["CCurl", "ObjectStorage", "Cryptography", "Measuring", "Platform"]),
    .executableTarget(name: "photo-links", dependencies: ["Measuring"]),
    .executableTarget(name: "parser-worst-cases", dependencies: ["Cryptography", "Measuring"]),
    .executableTarget(name: "tls-handshakes", dependencies: ["COpenSSL", "Measuring", "Platform"]),
    .executableTarget(name: "bench-report", dependencies: ["Measuring"]),
  ],
  swiftLanguageModes: [.v6]
)

// As in the server's package.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
