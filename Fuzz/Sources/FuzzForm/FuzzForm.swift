import HTTPMessages

/// Any query and form are parsed or refused, and their parameters can be merged and normalised as in Rails.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let middle = bytes.count / 2
  guard let query = try? FormParameters.parse(query: bytes[..<middle]),
    let body = try? FormParameters.parse(body: bytes[middle...])
  else { return 0 }
  let parameters = Parameters(body).replaced(by: Parameters(query))
  for name in query.keys { precondition(parameters[name] != nil) }
  for name in body.keys { precondition(parameters[name] != nil) }
  return 0
}
