// swift-tools-version:6.2
import PackageDescription

// What a Swift developer would take for this API today: Hummingbird on SwiftNIO, and GRDB. A package of its
// own, since building it takes longer than everything else together; its folder must not be called like one of the
// packages that it depends on.
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
