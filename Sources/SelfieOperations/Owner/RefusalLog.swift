package import HTTPMessages
import Platform
package import SelfieAPI

/// The last requests that the server has refused or failed, with the reason that the client got. Equal ones are one entry
/// with a count. `OwnerPage` hands them in, and the command `why` and the owner's page show them. They have no body and no
/// secret, and end with the server.
package final class RefusalLog: Sendable {
  /// What pushes out what: each kind has a share, and if there are too many entries, one of a kind beyond its share goes.
  /// A scanner that tries a thousand addresses cannot push out the reasons why apps fail, nor can these push out the
  /// failures of the server.
  enum Kind: Int, CaseIterable {
    case failed, refused, unknownAddress

    var share: Int { self == .refused ? 100 : 50 }
  }

  /// How many entries are kept.
  static let maxCount = Kind.allCases.reduce(0) { $0 + $1.share }
  /// The bytes of all texts together.
  static let maxTextBytes = 64 * 1024
  /// Bytes of a detail, of which the API's have fewer; of the first word of User-Agent; and of an unknown method.
  private static let (maxDetail, maxApp, maxMethod) = (400, 40, 20)

  struct Entry: Sendable {
    /// Stays the same while equal ones are added.
    let id: Int64
    /// Of the last one. Grows with each refusal, also from one start of the server to the next.
    fileprivate(set) var number: Int64
    /// Of the last one, in Unix milliseconds.
    fileprivate(set) var time: Int64
    fileprivate(set) var count: Int64 = 1
    /// Of the last one; empty if it has none.
    fileprivate(set) var requestID: String
    /// Nil if the request could not be read.
    let method: String?
    /// Nil if no route has its path.
    let route: StaticString?
    let status: Int
    let detail: String
    let client: String
    /// Empty if the client does not name itself.
    let app: String
    let userID: Int64?
    fileprivate let key: Int

    fileprivate var textBytes: Int {
      detail.utf8.count + client.utf8.count + app.utf8.count + (method?.utf8.count ?? 0) + requestID.utf8.count
    }
  }

  fileprivate struct State {
    /// By their kind, in no order.
    var entries: [[Entry]] = Kind.allCases.map { _ in [] }
    var textBytes = 0
    var lastNumber: Int64
  }

  private let state: Monitor<State>
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: Unix milliseconds.
  package init(clock: @escaping @Sendable () -> Int64 = unixMilliseconds) {
    self.clock = clock
    state = Monitor(State(lastNumber: clock() &* 1000))
  }

  /// Adds the response to a request if it refuses it. Any other costs two comparisons.
  package func note(_ response: Response, to request: Request, by application: Application) {
    let mayBePreflight = if case .options = request.head.method { true } else { false }
    guard response.status.code >= 400 || mayBePreflight else { return }
    note(response, to: RefusedRequest(request), by: application)
  }

  /// Adds a response, unless it is a success. A preflight that is not allowed is a success with a detail.
  package func note(_ response: Response, to request: RefusedRequest, by application: Application) {
    let status = response.status.code
    let detail = response.fields.value(of: Self.detailField)?.prefix(Self.maxDetail)
    guard status >= 400 || detail != nil else { return }
    let (facts, time) = (application.facts(of: request), clock())
    let client = facts.client ?? request.peer
    let method = request.head?.methodName.prefix(Self.maxMethod)
    let app: ArraySlice<UInt8> =
      request.head?.fields[.userAgent]?.prefix(Self.maxApp).prefix { $0 != UInt8(ascii: " ") } ?? []
    let requestID = response.fields.value(of: Self.idField).map { String(decoding: $0, as: UTF8.self) } ?? ""
    // Its seed is secret and new at each start, so that nobody can make two that differ fold.
    var hasher = Hasher()
    hasher.combine(status)
    hasher.combine(facts.userID)
    hasher.combine(client)
    hasher.combine(text: method ?? [])
    hasher.combine(text: detail ?? [])
    hasher.combine(text: app)
    facts.route?.withUTF8Buffer { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    let (key, kind) = (hasher.finalize(), Kind(status, facts.route))
    state.withLock { state in
      state.lastNumber += 1
      guard !state.repeats(key, kind, at: time, requestID) else { return }
      state.add(
        Entry(
          id: state.lastNumber, number: state.lastNumber, time: time, requestID: requestID,
          method: method.map { String(decoding: $0, as: UTF8.self) }, route: facts.route, status: status,
          detail: detail.map { String(printable: Array($0)) } ?? "\(response.status.reason)", client: client,
          app: String(printable: Array(app)), userID: facts.userID, key: key), kind)
    }
  }

  /// The entries, the newest first.
  ///
  /// - Parameter number: of the last refusal that is known already; nil for all.
  func entries(after number: Int64? = nil) -> [Entry] {
    state.withLock(\.entries).joined().filter { $0.number > number ?? .min }.sorted { $0.number > $1.number }
  }

  private static let (detailField, idField) = (Array("X-Error-Detail".utf8), Array("X-Request-Id".utf8))
}

extension RefusalLog.Kind {
  fileprivate init(_ status: Int, _ route: StaticString?) {
    self = status >= 500 ? .failed : route == nil ? .unknownAddress : .refused
  }
}

extension RefusalLog.State {
  /// Whether there is an equal one, which now has happened once more.
  fileprivate mutating func repeats(_ key: Int, _ kind: RefusalLog.Kind, at time: Int64, _ requestID: String) -> Bool {
    guard let index = entries[kind.rawValue].firstIndex(where: { $0.key == key }) else { return false }
    var entry = entries[kind.rawValue][index]
    textBytes += requestID.utf8.count - entry.requestID.utf8.count
    (entry.number, entry.time, entry.requestID, entry.count) = (lastNumber, time, requestID, entry.count + 1)
    entries[kind.rawValue][index] = entry
    makeRoom()
    return true
  }

  fileprivate mutating func add(_ entry: RefusalLog.Entry, _ kind: RefusalLog.Kind) {
    entries[kind.rawValue].append(entry)
    textBytes += entry.textBytes
    makeRoom()
  }

  private mutating func makeRoom() {
    while entries.reduce(0, { $0 + $1.count }) > RefusalLog.maxCount || textBytes > RefusalLog.maxTextBytes {
      // If only the text is too long, none need be beyond its share.
      let kind = RefusalLog.Kind.allCases.max { excess(of: $0) < excess(of: $1) }
      guard let row = kind?.rawValue,
        let oldest = entries[row].indices.min(by: { entries[row][$0].number < entries[row][$1].number })
      else { return }
      textBytes -= entries[row][oldest].textBytes
      entries[row].swapAt(oldest, entries[row].count - 1)
      entries[row].removeLast()
    }
  }

  private func excess(of kind: RefusalLog.Kind) -> Int { entries[kind.rawValue].count - kind.share }
}

extension Hasher {
  fileprivate mutating func combine(text: ArraySlice<UInt8>) {
    combine(text.count)
    text.withUnsafeBytes { combine(bytes: $0) }
  }
}

extension FieldName {
  fileprivate static let userAgent = FieldName("user-agent")
}
