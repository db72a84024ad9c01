import HTTPMessages

/// Any Cookie field is parsed: the values are pieces of it, in their order, and none has a semicolon.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let field = Array(UnsafeBufferPointer(start: start, count: count))[...]
  var end = field.startIndex
  for value in field.cookies(named: "auth_tkt") {
    precondition(value.startIndex > end && value.endIndex <= field.endIndex)
    precondition(!value.contains(UInt8(ascii: ";")))
    end = value.endIndex
  }
  return 0
}
