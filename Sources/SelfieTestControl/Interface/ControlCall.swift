import HTTPMessages
import SelfieAPI
import SelfieTestDocuments

/// A request for the control interface, with its path and its document. A request for the API is a `Call` in SelfieAPI.
struct ControlCall: Sendable {
  let request: Request
  /// The segments of the path after `/__admin`, decoded. Empty segments stay, so that a name that a script has left empty
  /// does not turn its path into that of another endpoint.
  let path: [String]

  /// Larger than any test's seed without photos.
  static let maxBytes = 1024 * 1024

  /// The segment in place of `{name}` or `{id}`, which comes second in every route that has one.
  var name: String { path.dropFirst().first ?? "" }

  /// - Returns: nil when the request is not for the control interface.
  init?(_ request: Request) {
    let slash = UInt8(ascii: "/")
    // A base address may end in a slash.
    let segments = request.head.path.drop { $0 == slash }.split(separator: slash, omittingEmptySubsequences: false)
    guard let first = segments.first, first.elementsEqual("__admin".utf8) else { return nil }
    self.request = request
    let path = segments.dropFirst().map {
      String(decoding: (try? $0.percentDecoded(plus: UInt8(ascii: "+"))) ?? Array($0), as: UTF8.self)
    }
    self.path = path == [""] ? [] : path
  }

  /// The document in the body; an empty body is an empty object.
  func body<Document: Decodable>(
    _ type: Document.Type = Document.self, upTo limit: Int = maxBytes
  ) async throws -> Document {
    try Self.document(type, of: await members(upTo: limit))
  }

  func checkEmptyBody() async throws {
    let names = try await members().keys
    guard names.isEmpty else {
      throw ControlError.invalid("There is no \(names.sorted().joined(separator: ", ")) here: the body must be empty.")
    }
  }

  /// - Throws: `ControlError` with everything that the document must not have.
  static func document<Document: Decodable>(
    _ type: Document.Type = Document.self, of members: [String: ParameterValue]
  ) throws(ControlError) -> Document {
    let (document, mistakes) = JSONReader.decode(type, strictly: .object(members))
    guard let document, mistakes.isEmpty else { throw ControlError(.badRequest, mistakes) }
    return document
  }

  /// The members of the JSON object in the body.
  func members(upTo limit: Int = maxBytes) async throws -> [String: ParameterValue] {
    try Self.members(of: await request.body.collect(upTo: limit))
  }

  /// The JSON object in `bytes`; no bytes but white space (RFC 8259 §2) are an empty object.
  static func members(of bytes: [UInt8]) throws -> [String: ParameterValue] {
    guard !bytes.allSatisfy(" \t\r\n".utf8.contains) else { return [:] }
    guard case .object(let members) = try JSONReader.read(bytes, refusesEqualMembers: true) else {
      throw ControlError.invalid("The body must be a JSON object.")
    }
    return members
  }

  /// The document in the query's parameters.
  func query<Document: Decodable>(_ type: Document.Type = Document.self) throws -> Document {
    guard let query = request.head.query, !query.isEmpty else { return try Self.document(type, of: [:]) }
    let members = try FormParameters.parse(query: query)
    var names: Set<[UInt8]> = []
    for piece in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
      let name = try piece.prefix { $0 != UInt8(ascii: "=") }.percentDecoded()
      guard names.insert(name).inserted else {
        throw ControlError.invalid("\(String(decoding: name, as: UTF8.self)) is given twice.")
      }
    }
    return try Self.document(type, of: members)
  }
}
