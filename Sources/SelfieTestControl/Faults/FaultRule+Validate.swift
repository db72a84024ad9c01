import HTTPMessages
import Platform
import SelfieTestDocuments

// Finds the mistakes in a rule that a test sends. `FaultRule` in SelfieTestDocuments has its members, and `FaultRules`
// applies it.
extension FaultRule {
  /// A delay must stay well below the two minutes that the server allows a request to take.
  static let maxPause = TestDuration.seconds(60)

  /// - Parameter place: where the rule stands in its document; nil if it is the whole document.
  func validate(at place: String?, _ problems: inout Problems) {
    let start = place.map { "\($0)." } ?? ""
    func require(_ isRight: Bool?, _ rule: String) {
      if isRight == false { problems.add(start + rule) }
    }
    func requirePause(_ pauses: TestDuration?..., name: String) {
      require(
        pauses.allSatisfy { ($0?.milliseconds).map((0...Self.maxPause.milliseconds).contains) ?? true },
        "\(name) must be a duration from 0s to 60s.")
    }
    require(
      method.map { Method($0) != .other },
      "method must be one that the server knows, such as GET, POST or DELETE, in capitals.")
    require(
      path.map { $0.utf8.count <= PathPattern.maxBytes && ($0.first == "/" || $0.first == "*") },
      "path must begin with / or *, as in /api/signin or /photos/*, and have at most \(PathPattern.maxBytes) bytes.")
    require(path.map { !$0.hasPrefix("/__admin") }, "path is of the control interface, which has no faults.")
    require(path.map { !$0.contains("?") }, "path is compared without the query: leave out the ?.")
    require(share.map((0...1).contains), "share must be a number from 0 to 1.")
    require(count.map { $0 > 0 }, "count must be at least 1.")
    require(skip.map { $0 >= 0 }, "skip must not be negative.")
    requirePause(delay?.from, delay?.to, name: "delay")
    require(
      delay.map { $0.from.milliseconds <= $0.to.milliseconds },
      #"delay must be a duration, or {"from":"100ms","to":"2s"} with the shorter one first."#)
    func requirePieces(_ pieces: Drip?, name: String) {
      require(pieces.map { $0.bytes > 0 }, "\(name).bytes must be at least 1.")
      requirePause(pieces?.every, name: "\(name).every")
    }
    requirePieces(read, name: "read")
    switch effect {
    case .response(let response)?: response.validate(require)
    case .drip(let pieces)?: requirePieces(pieces, name: "drip")
    case .truncate(.bytes(let count))?: require(count >= 0, "truncate.bytes must not be negative.")
    case .truncate(.share(let share))?:
      require((0...1).contains(share), "truncate.share must be a number from 0 to 1.")
    case .drop?, .malform?: break
    case nil where delay == nil && read == nil:
      problems.add(
        (place.map { "\($0): " } ?? "") + "Say what goes wrong: status, drop, drip, truncate, malform, read or delay.")
    case nil: break
    }
    let isHandled =
      switch effect {
      case .response?, .drop(.beforeHandling)?: false
      default: true
      }
    require(
      read.map { _ in isHandled },
      "read has no effect with status or drop before_handling, which do not read the request.")
    condition?.validate(at: "\(start)where.", &problems)
  }
}

extension FaultResponse {
  private static let maxBodyBytes = 1024 * 1024
  /// The largest head that common clients accept.
  private static let maxFieldBytes = 8 * 1024

  fileprivate func validate(_ require: (Bool?, String) -> Void) {
    require((200...599).contains(status), "status must be a whole number from 200 to 599.")
    let byteCount =
      switch content {
      case .message(let text)?, .text(let text)?: text.utf8.count
      case .json(let value)?: (try? JSONWriter.encode(value))?.count ?? 0
      case nil: 0
      }
    require(byteCount <= Self.maxBodyBytes, "The body of a response can have at most \(Self.maxBodyBytes) bytes.")
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      // The part of `tchar` (RFC 9110 §5.6.2) that names of fields consist of.
      require(
        !name.isEmpty && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) },
        "fields has an invalid name: use letters, digits and hyphens, as in Retry-After.")
      require(
        !Self.serverFields.contains(name.lowercased()),
        "fields.\(name) is written by the server. To make it wrong, use malform.")
      require(
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f },
        "fields.\(name) must not have control characters, such as line breaks.")
    }
    require(
      fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= Self.maxFieldBytes,
      "The fields of a response can have at most \(Self.maxFieldBytes) bytes.")
  }

  /// The fields that the server itself writes.
  private static let serverFields: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]
}
