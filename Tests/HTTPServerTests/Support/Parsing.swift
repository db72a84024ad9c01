import HTTPMessages

@testable import HTTPServer

/// Parses a whole head.
func parse(_ head: String) throws(RequestError) -> RequestHead {
  try RequestHead.parse(Array(latin1: head))
}

/// What a scanner says once the first `count` bytes have come.
func scan(
  _ scanner: inout HeadScanner, _ bytes: [UInt8], upTo count: Int, limits: Limits = Limits()
) throws(RequestError) -> Int? {
  try scanner.scan(bytes.span.extracting(first: count), limits: limits)
}

func text(_ bytes: ArraySlice<UInt8>?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
