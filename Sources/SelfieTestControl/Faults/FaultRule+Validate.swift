import HTTPMessages
import Platform
import SelfieTestDocuments

// Finds the mistakes in a rule that a test sends. `FaultRule` in SelfieTestDocuments has its members, and `FaultRules`
// applies it.
extension FaultRule {
  /// A delay must stay well below the two minutes that the server allows a request to take.
  static let maxPause = TestDuration.seconds(60)
  private static let maxBodyBytes = 1024 * 1024
  /// The largest head that common clients accept.
  private static let maxFieldBytes = 8 * 1024

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
    require(status.map((200...599).contains), "status must be a whole number from 200 to 599.")
    for (name, drip) in [("drip", drip), ("read", read)] {
      require(drip.map { $0.bytes > 0 }, "\(name).bytes must be at least 1.")
      requirePause(drip?.every, name: "\(name).every")
    }
    require(
      truncate.map { ($0.bytes == nil) != ($0.share == nil) }, #"truncate must be {"bytes":100} or {"share":0.5}."#)
    require(truncate?.bytes.map { $0 >= 0 }, "truncate.bytes must not be negative.")
    require(truncate?.share.map((0...1).contains), "truncate.share must be a number from 0 to 1.")
    let effects = Self.given([
      "status": status, "drop": drop, "drip": drip, "truncate": truncate, "malform": malform,
    ])
    if effects.isEmpty && delay == nil && read == nil {
      problems.add(
        (place.map { "\($0): " } ?? "") + "Say what goes wrong: status, drop, drip, truncate, malform, read or delay.")
    }
    require(effects.count < 2, "\(effects.joined(separator: " and ")) cannot be combined; pass one of them.")
    require(
      read.map { _ in status == nil && drop != .beforeHandling },
      "read has no effect with status or drop before_handling, which do not read the request.")
    validateResponse(require)
  }

  private func validateResponse(_ require: (Bool?, String) -> Void) {
    let contents = Self.given(["message": message, "body": body, "text": text])
    require(contents.count < 2, "\(contents.joined(separator: " and ")) exclude each other.")
    if status == nil, let name = (contents + (fields == nil ? [] : ["fields"])).first {
      require(false, "\(name) requires status.")
    }
    require(
      [message?.utf8.count, bodyBytes?.count, text?.utf8.count].allSatisfy { $0 ?? 0 <= Self.maxBodyBytes },
      "The body of a response can have at most \(Self.maxBodyBytes) bytes.")
    let fields = fields ?? [:]
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

  /// The JSON of the response.
  var bodyBytes: [UInt8]? { body.flatMap { try? JSONWriter.encode($0) } }

  /// The fields that the server itself writes.
  private static let serverFields: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  /// The names of the values that are not nil.
  private static func given(_ values: KeyValuePairs<String, Any?>) -> [String] {
    values.filter { $0.value != nil }.map(\.key)
  }
}
