import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension SelfieClient {
  /// The client of an app that a test may launch with another server.
  ///
  /// - Parameter environment: may have the server's address and credentials, and the world that all requests are for.
  public init(
    launchedWith environment: [String: String] = ProcessInfo.processInfo.environment,
    encrypt: @escaping @Sendable (String) -> String
  ) throws {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = environment["X_TEST_WORLD"].map { ["X-Test-World": $0] }
    guard let baseURL = URL(string: environment["BASE_URL"] ?? "https://selfies.example.com/api") else {
      throw URLError(.badURL)
    }
    self.init(
      baseURL: baseURL, authName: environment["API_AUTH_NAME"] ?? "the app's",
      authPassword: environment["API_AUTH_PASSWORD"] ?? "the app's", session: URLSession(configuration: configuration),
      encrypt: encrypt)
  }
}
