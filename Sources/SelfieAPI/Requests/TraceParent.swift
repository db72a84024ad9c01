import HTTPMessages
import Platform

extension Request {
  /// The id of the trace of which a client or a proxy says that the request is a part: 32 hexadecimal digits. Empty unless
  /// there is one field `traceparent` and it is valid (W3C Trace Context §3.2):
  /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
  var traceID: [UInt8] {
    guard let field = head.fields[.traceParent], head.fields.count(of: .traceParent) == 1 else { return [] }
    return Array(Self.traceID(in: field))
  }

  private static func traceID(in field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let (hyphen, length) = (UInt8(ascii: "-"), 55)
    // Later versions may have more after the flags.
    guard field.count >= length, field.count == length || field.dropFirst(length).first == hyphen else { return [] }
    let parts = field.prefix(length).split(separator: hyphen, omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.allSatisfy(isLowercaseHex) }) else { return [] }
    let (version, traceID, parentID) = (parts[0], parts[1], parts[2])
    guard !version.elementsEqual("ff".utf8), field.count == length || !version.elementsEqual("00".utf8),
      !isZero(traceID), !isZero(parentID)
    else { return [] }
    return traceID
  }

  private static func isLowercaseHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isZero(_ id: ArraySlice<UInt8>) -> Bool { id.allSatisfy { $0 == UInt8(ascii: "0") } }
}

extension FieldName {
  fileprivate static let traceParent = FieldName("traceparent")
}
