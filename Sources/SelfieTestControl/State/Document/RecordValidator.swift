import Cryptography
import HTTPMessages
import SelfieAPI

/// Collects what is wrong with the records of a seed or a state: sentences that begin with the place of each mistake.
struct RecordValidator {
  /// The times that a record can have, in unix milliseconds: their years have four digits.
  static let instants: ClosedRange<Int64> = 0...Timestamp.range.upperBound

  private(set) var problems: [String] = []

  mutating func add(_ problem: String) { problems.append(problem) }

  mutating func check(email: String, _ place: String) {
    if let problem = Validation.problem(ofText: email) {
      add("\(place) \(problem).")
    } else if !Validation.isEmail(email) {
      add("\(place) is invalid: signup would not take \"\(email)\" either.")
    }
  }

  mutating func check(text: String?, _ place: String) {
    if let text, let problem = Validation.problem(ofText: text) { add("\(place) \(problem).") }
  }

  mutating func check(randomID: String, _ place: String) {
    if !Photo.isID(randomID.utf8) { add("\(place) is not of \(Photo.idLength) letters from a to z and A to Z.") }
  }

  mutating func check(instant: Int64?, _ place: String) {
    if let instant, !Self.instants.contains(instant) { add("\(place) is not from 1970 to 9999.") }
  }

  mutating func check(id: Int64?, _ place: String, from least: Int64 = 1) {
    guard let id, !(least...RequestLimits.maxKeptID).contains(id) else { return }
    add("\(place) is not from \(least) to \(RequestLimits.maxKeptID).")
  }

  /// Nil is a value that is still to be made. `seen` has the values of the records before.
  mutating func check<Value: Hashable>(
    _ value: Value?, isNewIn seen: inout Set<Value>, _ place: String, _ noun: StaticString, _ member: StaticString
  ) {
    guard let value, !seen.insert(value).inserted else { return }
    add("\(place): another \(noun) has the \(member) \(value), too.")
  }

  mutating func check(
    digest: [UInt8], isNewIn seen: inout Set<[UInt8]>, _ place: String, _ noun: StaticString
  ) {
    check(digest: digest, "\(place).digest")
    if !seen.insert(digest).inserted { add("\(place): another \(noun) has the same digest.") }
  }

  mutating func check(digest: [UInt8], _ place: String) {
    if digest.count != SHA256.byteCount { add("\(place) is no SHA-256, which has \(SHA256.byteCount) bytes.") }
  }

  mutating func check(owner userID: Int64, isIn userIDs: Set<Int64>, _ place: String) {
    if !userIDs.contains(userID) { add("\(place).user_id is \(userID), and there is no such user.") }
  }

  /// - Throws: `StateError` with all that was found, if there is anything.
  func finish() throws(StateError) {
    guard problems.isEmpty else { throw StateError(.invalid, problems) }
  }
}
