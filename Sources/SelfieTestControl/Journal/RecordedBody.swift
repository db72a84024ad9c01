import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

/// The body of a request, as the journal records it: how much of it was read, and the parameters that the application found
/// in it, but not the bytes of its files. `SecretMask` masks the secrets in them.
final class RecordedBody: Sendable {
  /// About how many bytes of parameters are recorded of a body. Clients send less than a thousand.
  static let maxBytes = 64 * 1024

  /// Takes what the application finds in the body.
  let notes = BodyNotes()
  private let source: RequestBody
  /// That of a multipart body.
  private let boundary: [UInt8]?
  /// Why its type has no parameters; nil if it has some.
  private let problemOfType: String?
  private let state = Monitor(State())

  private struct State {
    var byteCount = 0
    /// The last piece, and as much before it as an excerpt may be made of.
    var end: [UInt8] = []
    var hasEnded = false
    /// Why the rest of it could not be read.
    var cut: BodyError?
  }

  init(of request: Request) {
    source = request.body
    do {
      let kind = try BodyKind(contentType: request.head.fields[.contentType])
      problemOfType = kind == .none ? "A body of this Content-Type has no parameters." : nil
      boundary = if case .multipart(let boundary) = kind { boundary } else { nil }
    } catch {
      problemOfType = error.message
      boundary = nil
    }
  }

  /// The next bytes of the body.
  func next() async throws(BodyError) -> [UInt8]? {
    do {
      let bytes = try await source.next()
      state.withLock { state in
        if let bytes {
          state.byteCount += bytes.count
          state.end = state.end.suffix(BrokenBody.maxBytes) + bytes
        } else {
          state.hasEnded = true
        }
      }
      return bytes
    } catch {
      state.withLock { $0.cut = error }
      throw error
    }
  }

  /// The part of the body that was read.
  func recorded(_ mask: SecretMask) -> Exchange.Body {
    let (read, found) = (state.withLock(\.self), notes.found)
    var body = Exchange.Body()
    body.byteCount = read.byteCount
    body.complete = read.hasEnded || read.byteCount == source.length || found.hasEnd
    body.parameters = mask.parameters(found.parameters).mapValues(JSONValue.init)
    body.excerpt = found.offset.flatMap { offset in
      BrokenBody(endOf: read.end, count: read.byteCount, at: offset, boundary: boundary)
    }.map { Exchange.Excerpt(of: $0, mask) }
    var problems = [
      body.complete ? nil : "It was not read completely.", read.cut.map { "It was cut off: \($0)." },
      (found.problem ?? problemOfType).map(mask.text),
    ]
    if JSONValue.weight(of: body.parameters) > Self.maxBytes {
      body.parameters = [:]
      problems.append("Its parameters have more than the \(Self.maxBytes) bytes that are recorded.")
    }
    let given = problems.compactMap(\.self)
    body.problem = given.isEmpty ? nil : given.joined(separator: " ")
    return body
  }
}
