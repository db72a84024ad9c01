// swift-tools-version:6.2
import PackageDescription

// What a Swift developer would use for this API today: Hummingbird on SwiftNIO, and GRDB. It is a separate package,
// because building it takes longer than everything else together. Its folder must not have the name of a package that
// it depends on.
let package = Package(
  name: "hummingbird-peer",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
  ],
  targets: [
    .executableTarget(
      name: "hummingbird-peer",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
