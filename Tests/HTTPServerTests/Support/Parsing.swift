import HTTPMessages

@testable import HTTPServer

/// Parses a whole head.
func parse(_ head: String) throws(RequestError) -> RequestHead {
  let bytes = Array(latin1: head)
  return try bytes.withUnsafeBufferPointer { (bytes) throws(RequestError) in try RequestParser.parse(bytes) }
}

/// What a scanner says once the first `count` bytes have come.
func scan(
  _ scanner: inout HeadScanner, _ bytes: [UInt8], upTo count: Int, limits: Limits = Limits()
) throws(RequestError) -> Int? {
  try bytes.withUnsafeBufferPointer { (bytes) throws(RequestError) in
    try scanner.scan(UnsafeBufferPointer(rebasing: bytes[..<count]), limits: limits)
  }
}

func text(_ bytes: ArraySlice<UInt8>?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
