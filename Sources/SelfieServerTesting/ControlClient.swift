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

  /// A wait for requests takes a minute at most.
  private static let session = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 120
    configuration.httpMaximumConnectionsPerHost = 256
    return URLSession(configuration: configuration)
  }()

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
    request.setValue(world, forHTTPHeaderField: Self.worldField)
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
      return try await session.data(for: request)
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
