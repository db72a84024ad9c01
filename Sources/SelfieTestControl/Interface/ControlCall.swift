import HTTPMessages
import SelfieAPI

/// A request for the control interface.
struct ControlCall: Sendable {
  let request: Request
  /// The segments of the path after `/__admin`, decoded. Empty segments stay, so that a name that a script has left empty
  /// does not turn its path into that of another endpoint.
  let path: [String]
  /// The folder whose files the request may name; nil if it may name none.
  let seedFolder: SeedFolder?

  /// Larger than any test's seed without photos.
  static let maxBytes = 1024 * 1024

  /// The segment in place of `{name}` or `{id}`, which comes second in every route that has one.
  var name: String { path.dropFirst().first ?? "" }

  /// - Returns: nil when the request is not for the control interface.
  init?(_ request: Request, seedFolder: SeedFolder?) {
    let slash = UInt8(ascii: "/")
    // A base address may end in a slash.
    let segments = request.head.path.drop { $0 == slash }.split(separator: slash, omittingEmptySubsequences: false)
    guard let first = segments.first, first.elementsEqual("__admin".utf8) else { return nil }
    self.request = request
    self.seedFolder = seedFolder
    let path = segments.dropFirst().map {
      String(decoding: (try? PercentEncoding.decode($0, plus: UInt8(ascii: "+"))) ?? Array($0), as: UTF8.self)
    }
    self.path = path == [""] ? [] : path
  }

  /// The JSON object in the body; an empty body is an empty object.
  func body(upTo limit: Int = maxBytes) async throws -> JSONMembers {
    try Self.members(of: await request.body.collect(upTo: limit))
  }

  func checkEmptyBody() async throws {
    try await body().allow([])
  }

  /// The JSON object in `bytes`; no bytes but white space (RFC 8259 §2) are an empty object.
  static func members(of bytes: [UInt8]) throws -> JSONMembers {
    guard !bytes.allSatisfy(" \t\r\n".utf8.contains) else { return JSONMembers([:]) }
    guard case .object(let members) = try JSONReader.read(bytes, refusesEqualMembers: true) else {
      throw ControlError.invalid("The body must be a JSON object.")
    }
    return JSONMembers(members)
  }

  /// The parameters of the query.
  func query() throws -> JSONMembers {
    guard let query = request.head.query, !query.isEmpty else { return JSONMembers([:]) }
    let members = JSONMembers(try FormParameters.parse(query: query))
    var names: Set<[UInt8]> = []
    for piece in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
      let name = try PercentEncoding.decode(piece.prefix { $0 != UInt8(ascii: "=") })
      guard names.insert(name).inserted else {
        throw ControlError.invalid("\(String(decoding: name, as: UTF8.self)) is given twice.")
      }
    }
    return members
  }
}
