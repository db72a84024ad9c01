// swift-tools-version:6.2
import PackageDescription

// Separate from the other benchmarks, because some of their targets have the same names as the server's.
let package = Package(
  name: "in-process-servers",
  dependencies: [.package(name: "selfie-server", path: "../..")],
  targets: [
    .target(name: "Measuring"),
    .executableTarget(
      name: "in-process-servers",
      dependencies: ["Measuring", .product(name: "SelfieServerTesting", package: "selfie-server")]),
  ],
  swiftLanguageModes: [.v6]
)
