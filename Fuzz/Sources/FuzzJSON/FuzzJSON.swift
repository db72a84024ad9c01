import HTTPMessages

/// Any JSON is parsed or refused, and its value becomes parameters.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? JSONReader.read(bytes) else { return 0 }
  guard case .object(let members) = value else { return 0 }
  let parameters = Parameters(members)
  for name in members.keys { precondition(parameters[name] != nil) }
  return 0
}
