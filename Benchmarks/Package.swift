// swift-tools-version:6.2
import PackageDescription

// The benchmarks are a package of their own: whoever builds or tests the server does not build them.
// The links in Sources lead to the server's own targets.
let package = Package(
  name: "benchmarks",
  targets: [
    .target(name: "CLinux"),
    .target(name: "Workers", dependencies: ["CLinux"]),
    .target(name: "Measuring"),

    .executableTarget(name: "hostile-crowd", dependencies: ["Measuring", "Workers", "CLinux"]),

  ],
  swiftLanguageModes: [.v6]
)
