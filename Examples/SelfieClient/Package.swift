// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "selfie-client",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "SelfieClient", targets: ["SelfieClient"])],
  dependencies: [
    // Elsewhere: .package(url: "https://…/selfie-server", from: "…")
    .package(name: "selfie-server", path: "../..")
  ],
  targets: [
    .target(name: "SelfieClient"),
    .testTarget(
      name: "SelfieClientTests",
      dependencies: ["SelfieClient", .product(name: "SelfieServerTesting", package: "selfie-server")]),
  ],
  swiftLanguageModes: [.v6]
)
