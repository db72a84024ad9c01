/// How long a token lives.
package struct TokenLifetime: Sendable {
  package static let defaultSeconds: Int64 = 86_400
  /// The upper bound is a hundred years, which no user can tell from no expiry.
  package static let allowedSeconds: ClosedRange<Int64> = 1...3_155_760_000

  let seconds: Int64

  /// The instant in unix milliseconds at which a token issued now expires.
  package func expiry(from now: Int64) -> Int64 {
    let (expiresAt, isTooLate) = now.addingReportingOverflow(seconds &* 1000)
    return isTooLate ? .max : expiresAt
  }
}
