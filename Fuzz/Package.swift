// swift-tools-version:6.2
import PackageDescription

// The fuzzers are a separate package, because bin/fuzz builds them with other flags. The symbolic links in Sources lead
// to the server's targets.
let package = Package(
  name: "fuzz",
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt"),
    .target(name: "CLinux"),
    .target(name: "Platform", dependencies: ["CLinux"]),
    .target(name: "HTTPMessages", dependencies: ["Platform"]),
    .target(name: "HTTPServer", dependencies: ["HTTPMessages", "Cryptography", "Platform", "CLinux", "COpenSSL"]),
    .target(name: "Cryptography", dependencies: ["COpenSSL", "CCrypt", "Platform"]),

    .executableTarget(name: "FuzzRequestHead", dependencies: ["HTTPServer", "HTTPMessages"]),
    .executableTarget(name: "FuzzChunkedBody", dependencies: ["HTTPServer", "HTTPMessages"]),
    .executableTarget(name: "FuzzMultipart", dependencies: ["HTTPMessages"]),
    .executableTarget(name: "FuzzForm", dependencies: ["HTTPMessages"]),
    .executableTarget(name: "FuzzAuthorization", dependencies: ["HTTPMessages", "Cryptography"]),
    .executableTarget(name: "FuzzCookie", dependencies: ["HTTPMessages"]),
    .executableTarget(name: "FuzzEncryptedText", dependencies: ["Cryptography"]),
    .executableTarget(name: "FuzzJSON", dependencies: ["HTTPMessages"]),

    .executableTarget(name: "ReadMultipart", dependencies: ["HTTPMessages"]),
  ],
  swiftLanguageModes: [.v6]
)

// As in the server's package.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.enableUpcomingFeature("InternalImportsByDefault")]
}
