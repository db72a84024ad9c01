import HTTPMessages
import SelfieAPI

/// A request to the control interface on its way to its endpoint.
struct ControlCall: Sendable {
  let request: Request
  /// The pieces of the path behind `/__admin`, decoded.
  let path: [String]

  /// More than any test's seed without photos.
  static let mostBytes = 1024 * 1024

  var method: Method { request.head.method }

  /// - Returns: nil when the request is for another address.
  init?(_ request: Request) {
    let segments = request.head.path.split(separator: UInt8(ascii: "/"))
    guard let first = segments.first, first.elementsEqual("__admin".utf8) else { return nil }
    self.request = request
    path = segments.dropFirst().map {
      String(decoding: (try? PercentEncoding.decodeForm($0)) ?? Array($0), as: UTF8.self)
    }
  }

  /// The JSON object of the body; an empty body is an empty object.
  ///
  /// - Parameter most: bytes that are read.
  func body(upTo most: Int = mostBytes) async throws -> JSONMembers {
    try Self.members(of: await bytes(upTo: most))
  }

  /// The body as it is.
  func bytes(upTo most: Int) async throws -> [UInt8] {
    do {
      return try await request.body.collect(upTo: most)
    } catch BodyError.tooLarge(let limit) {
      throw ControlError(.contentTooLarge, "The body has more than the \(limit) bytes that this address takes.")
    }
  }

  /// The JSON object in some bytes; none are an empty object.
  static func members(of bytes: [UInt8]) throws -> JSONMembers {
    guard bytes.contains(where: { $0 > 0x20 }) else { return JSONMembers([:], at: "") }
    do {
      guard case .object(let members) = try JSONReader.read(bytes) else {
        throw ControlError.badRequest("The body must be a JSON object.")
      }
      return JSONMembers(members, at: "")
    } catch let error as ParameterError {
      throw ControlError.badRequest("The body is not JSON: \(error.message)")
    }
  }

  /// The parameters of the query.
  func query() throws -> JSONMembers {
    guard let query = request.head.query, !query.isEmpty else { return JSONMembers([:], at: "") }
    do {
      return JSONMembers(try FormParameters.parse(query: query), at: "")
    } catch {
      throw ControlError.badRequest(error.message)
    }
  }
}

extension Response {
  /// A JSON object of the control interface.
  static func json(_ status: Status = .ok, _ members: (inout WireJSON) throws -> Void) rethrows -> Response {
    var json = WireJSON()
    try json.object(members)
    var fields = ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n")
    if !status.hasContent { fields = ResponseFields() }
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }
}
