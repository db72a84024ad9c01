import HTTPMessages
import SelfieAPI

/// A request to the owner's interface.
struct OwnerCall: Sendable {
  private let request: Request
  /// The segments of the path, decoded.
  let path: [String]

  /// More than any command sends.
  private static let maxBodyBytes = 64 * 1024

  /// - Parameter prefix: how many segments of the path stand before those of the interface.
  init(_ request: Request, prefix: Int = 0) {
    self.request = request
    path = request.head.path.split(separator: UInt8(ascii: "/")).dropFirst(prefix).map {
      String(decoding: (try? PercentEncoding.decodePath($0)) ?? Array($0), as: UTF8.self)
    }
  }

  var method: Method { request.head.method }

  /// The segment in place of `*`, which comes second in every route that has one.
  var name: String { path.dropFirst().first ?? "" }

  /// A parameter of the query; nil if it is missing.
  func parameter(_ name: String) throws -> String? {
    guard let query = request.head.query, case .string(let text)? = try FormParameters.parse(query: query)[name] else {
      return nil
    }
    return text
  }

  /// How many elements a list may have.
  func limit() throws -> Int64 {
    guard let text = try parameter("limit") else { return OwnerInterface.defaultLimit }
    guard let limit = Int64(text), OwnerInterface.limits.contains(limit) else {
      throw APIError(.badRequest, "A limit is from 1 to \(OwnerInterface.limits.upperBound).")
    }
    return limit
  }

  /// The members of the JSON object in the body that are texts.
  func texts() async throws -> [String: String] {
    guard case .object(let members) = try JSONReader.read(try await request.body.collect(upTo: Self.maxBodyBytes))
    else { throw APIError(.badRequest, "The body must be a JSON object.") }
    return members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
  }
}

extension OwnerInterface {
  /// How many elements of a list are shown unless the owner asks for another number.
  public static let defaultLimit: Int64 = 100
  /// A longer list would be too large to read whole.
  public static let limits: ClosedRange<Int64> = 1...100_000
}

extension Response {
  /// A response to the owner with JSON.
  ///
  /// - Parameter total: how many elements there are, of which the response may list only the first.
  package static func owner(_ json: [UInt8], total: Int64? = nil) -> Response {
    var fields = ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n")
    if let total { fields.append("X-Total-Count", "\(total)") }
    return Response(status: .ok, fields: fields, body: .bytes(json))
  }
}
