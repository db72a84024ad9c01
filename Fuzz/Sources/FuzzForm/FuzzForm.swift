import HTTPMessages

/// A query and a form are read or refused; precedence and Rails' munging take whatever comes of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let middle = bytes.count / 2
  guard let query = try? FormParameters.parse(query: bytes[..<middle]),
    let body = try? FormParameters.parse(body: bytes[middle...])
  else { return 0 }
  let parameters = Parameters(query: query, body: body)
  for name in query.keys { precondition(parameters[name] != nil) }
  for name in body.keys { precondition(parameters[name] != nil) }
  return 0
}
