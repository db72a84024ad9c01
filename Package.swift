// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "selfie-server",
  // Of SelfieServerTesting. The server itself needs Linux.
  platforms: [.macOS(.v12), .iOS(.v15)],
  products: [
    .executable(name: "selfie-server", targets: ["selfie-server"]),
    .executable(name: "selfie-server-cluster", targets: ["selfie-server-cluster"]),
    .library(name: "SelfieServerTesting", targets: ["SelfieServerTesting"]),
  ],
  // Of the server, whose build has the exact versions in bin/setup. SelfieServerTesting uses neither, but SwiftPM resolves them
  // together with those of an app that is tested with it, which may be older or newer.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
    // Without pkgConfig, because SwiftPM would warn of a missing libcurl or libpq even in a build of selfie-server.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CPages", exclude: ["Home", "Inspector", "Owner", "Shared"]),
    .target(name: "CMigrations"),

    .target(name: "HTTPMessages", dependencies: ["Platform", "CLinux"]),
    .target(name: "HTTPServer", dependencies: ["HTTPMessages", "Cryptography", "COpenSSL", "Platform", "CLinux"]),
    .target(name: "SQL", dependencies: ["Cryptography", "Platform"]),
    .target(name: "SQLite", dependencies: ["SQL", "CSQLite", "Cryptography", "Platform"]),
    // Only for selfie-server-cluster: accounts in a database server, by libpq.
    .target(
      name: "PostgreSQL",
      dependencies: ["SQL", "CPostgreSQL", "COpenSSL", "Cryptography", "Platform"]),
    .target(name: "Cryptography", dependencies: ["COpenSSL", "CCrypt", "Platform"]),
    .target(name: "Platform", dependencies: ["CLinux"]),
    .target(name: "Pages", dependencies: ["HTTPMessages", "CPages", "Platform"]),
    // Only for selfie-server-cluster: photos in an object store, by libcurl.
    .target(name: "ObjectStorage", dependencies: ["HTTPMessages", "CCurl", "Cryptography", "Platform"]),
    .target(
      name: "SelfieAPI",
      dependencies: [
        "HTTPMessages", "Pages", "CMigrations", "SQL", "SQLite", "Cryptography", "Platform",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "SelfieOperations",
      dependencies: ["SelfieAPI", "HTTPMessages", "Pages", "SQL", "SQLite", "Cryptography", "Platform", "CLinux"]),
    // The documents that tests send and receive. It imports nothing, so it builds wherever Swift does.
    .target(name: "SelfieTestDocuments"),
    .target(
      name: "SelfieTestControl",
      dependencies: [
        "SelfieTestDocuments", "SelfieAPI", "HTTPMessages", "Pages", "SQL", "SQLite", "Cryptography", "Platform",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(name: "SelfieServerTesting", dependencies: ["SelfieTestDocuments"]),
    .target(
      name: "SelfieServer",
      dependencies: [
        "SelfieAPI", "SelfieTestControl", "SelfieTestDocuments", "SelfieOperations", "HTTPServer", "HTTPMessages",
        "SQL",
        "SQLite", "Cryptography",
        "Platform", "CLinux",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(name: "selfie-server", dependencies: ["SelfieServer"]),
    .target(
      name: "Cluster",
      dependencies: ["SelfieOperations", "SelfieAPI", "PostgreSQL", "SQL", "ObjectStorage", "Platform"]),
    .executableTarget(name: "selfie-server-cluster", dependencies: ["SelfieServer", "Cluster"]),

    .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages", "Platform", "TestSupport"]),
    .testTarget(
      name: "HTTPServerTests",
      dependencies: ["HTTPServer", "HTTPMessages", "Cryptography", "COpenSSL", "Platform", "TestSupport"]),
    .testTarget(name: "SQLTests", dependencies: ["SQL"]),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQL", "SQLite", "CSQLite", "Cryptography", "Platform", "TestSupport"]),
    .testTarget(
      name: "PostgreSQLTests",
      dependencies: [
        "PostgreSQL", "SQL", "SelfieAPI", "COpenSSL", "Cryptography", "Platform", "Torture", "TestSupport",
      ]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "TestSupport"]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"]),
    .testTarget(
      name: "ObjectStorageTests",
      dependencies: ["ObjectStorage", "HTTPServer", "HTTPMessages", "Cryptography", "Platform", "TestSupport"],
      exclude: ["Python"]),
    .testTarget(
      name: "SelfieOperationsTests",
      dependencies: [
        "SelfieOperations", "SelfieTestControl", "SelfieTestDocuments", "SelfieAPI", "HTTPMessages", "SQL", "SQLite",
        "PostgreSQL",
        "Cryptography",
        "Platform", "TestSupport", "APITestSupport",
      ],
      exclude: ["RailsImport/Export"]),
    .testTarget(
      name: "SelfieAPITests",
      dependencies: [
        "SelfieAPI", "SelfieTestControl", "SelfieTestDocuments", "Cluster", "Pages", "HTTPMessages", "HTTPServer",
        "ObjectStorage",
        "SQL", "SQLite", "PostgreSQL", "Cryptography", "Platform", "TestSupport", "APITestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.copy("Exchanges")]),
    .testTarget(name: "SelfieTestDocumentsTests", dependencies: ["SelfieTestDocuments"]),
    .testTarget(
      name: "SelfieTestControlTests",
      dependencies: [
        "SelfieTestDocuments", "SelfieTestControl", "SelfieAPI", "HTTPMessages", "Pages", "HTTPServer", "SQLite",
        "Cryptography",
        "Platform", "TestSupport", "APITestSupport",
      ]),
    .testTarget(
      name: "SelfieServerTestingTests",
      dependencies: ["selfie-server", "SelfieServerTesting", "Platform", "TestSupport"]),
    .testTarget(
      name: "SelfieServerTests",
      dependencies: [
        "selfie-server", "selfie-server-cluster", "SelfieServer", "SelfieTestControl", "SelfieTestDocuments",
        "SelfieOperations",
        "SelfieAPI",
        "HTTPServer",
        "HTTPMessages", "SQL", "SQLite", "Cryptography", "Platform", "Torture", "TestSupport", "APITestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Shared by several test targets: clients, folders, clocks, and an application that uses them.
    .target(
      name: "TestSupport", dependencies: ["CSpawn", "SelfieTestDocuments", "Cryptography", "COpenSSL", "Platform"],
      path: "Tests/TestSupport"),
    .target(
      name: "APITestSupport",
      dependencies: [
        "TestSupport", "SelfieTestDocuments", "SelfieTestControl", "SelfieAPI", "HTTPMessages", "HTTPServer", "SQL",
        "SQLite", "Cryptography",
        "Platform",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/APITestSupport"),

    // Crashes and disk faults, for the tests and for bin/torture.
    .target(name: "CSpawn", path: "Tests/CSpawn"),
    .target(
      name: "Torture", dependencies: ["SelfieAPI", "Cryptography", "SQLite", "SQL", "Platform", "TestSupport"],
      path: "Tests/Torture"),
    .executableTarget(
      name: "torture-server",
      dependencies: [
        "Torture", "TestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/torture-server"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .regular || target.type == .executable || target.type == .test {
  // Async functions run on their caller's executor, so a request stays on its event loop without a check at each call.
  target.swiftSettings = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
  // Those of Tests have a path, or are tests.
  guard target.path == nil, target.type != .test else { continue }
  target.swiftSettings? += ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { .enableUpcomingFeature($0) }
}
