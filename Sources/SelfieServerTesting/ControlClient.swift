import Foundation
import SelfieTestDocuments

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request to an address below `/__admin/`, and decodes the response. SelfieServer+State.swift and the files
/// beside it have a method for each request.
struct ControlClient: Sendable {
  static let worldField = "X-Test-World"

  let url: URL
  /// `NAME:PASSWORD`; nil for a server that asks for none.
  let credentials: String?
  let world: String?

  /// Whether the least recently used world makes room for this one where there are too many.
  var evicts = false

  /// The header fields that choose the world; none for the main one.
  var headers: [String: String] { world.map { [Self.worldField: evicts ? "\($0);evict" : $0] } ?? [:] }

  /// A wait for requests takes a minute at most.
  private static let session = session { _ in }
  /// For servers on this machine, which a proxy cannot reach.
  private static let localSession = session { configuration in
    configuration.connectionProxyDictionary = [:]
  }

  private static func session(_ change: (URLSessionConfiguration) -> Void) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 120
    configuration.httpMaximumConnectionsPerHost = 256
    change(configuration)
    return URLSession(configuration: configuration)
  }

  /// Whether a server is on this machine.
  static func isLocal(_ url: URL) -> Bool { localHosts.contains(url.host ?? "") }

  /// Lets clients in this process reach servers on this machine without a proxy, where the system's library of HTTP reads
  /// the proxies from the environment.
  static let passesOverProxies: Void = {
    #if canImport(FoundationNetworking)
      let exceptions = ["no_proxy", "NO_PROXY"].lazy.compactMap { ProcessInfo.processInfo.environment[$0] }.first
      setenv("no_proxy", (localHosts + [exceptions].compactMap(\.self)).joined(separator: ","), 1)
    #endif
  }()

  private static let localHosts = ["localhost", "127.0.0.1", "::1"]

  /// A name as a part of an address.
  static func escaped(_ name: String) -> String {
    name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
  }

  /// - Throws: ``ControlError`` for an error response, `ExchangeMismatch` if requests are not as expected, and
  ///   `CancellationError` when the task is cancelled.
  func send<Answer: Decodable>(_ method: String, _ address: String, _ body: some Encodable = noMembers) async throws
    -> Answer
  {
    guard let url = URL(string: "\(url.absoluteString)/__admin/\(address)") else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    if method == "POST" {
      request.httpBody = try JSONEncoder().encode(body)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    if let credentials {
      request.setValue("Basic \(Data(credentials.utf8).base64EncodedString())", forHTTPHeaderField: "Authorization")
    }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await Self.response(to: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    let decoder = JSONDecoder()
    if status == 200 { return try decoder.decode(Answer.self, from: data) }
    if status == 422, let mismatch = try? decoder.decode(ExchangeMismatch.self, from: data) { throw mismatch }
    let message = (try? decoder.decode(ErrorMessage.self, from: data))?.message
    throw ControlError(
      status: status, message: message ?? "\(url) responded with \(status). Is there a selfie-server, with --control?")
  }

  private static func response(to request: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await (request.url.map(isLocal) == true ? localSession : session).data(for: request)
    } catch {
      try Task.checkCancellation()
      guard (error as? URLError)?.code == .cannotConnectToHost else { throw error }
      let address = request.url?.absoluteString ?? ""
      throw ControlError(status: nil, message: "\(address) cannot be reached. Has the server ended, or never started?")
    }
  }
}

extension ControlClient {
  /// Sends a request, and ignores the answer.
  func send(_ method: String, _ address: String, _ body: some Encodable = noMembers) async throws {
    _ = try await send(method, address, body) as JSONValue
  }
}

private let noMembers: [String: String] = [:]

/// Why a request to the control interface cannot be done, or why there is no server: what is wrong, and what would be
/// right. The server's side of it is `ControlError` in SelfieTestControl.
public struct ControlError: Error, CustomStringConvertible {
  /// Nil if there was no response.
  public let status: Int?
  public let message: String

  public var description: String { message }
}
