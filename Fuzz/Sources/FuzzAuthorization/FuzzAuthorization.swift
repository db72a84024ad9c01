import Cryptography
import HTTPMessages

/// Any Authorization field is parsed or refused, and its base64 is decoded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  switch Authorization.parse(bytes[...]) {
  case .basic(let encoded)?: precondition(Base64.decodeLeniently(encoded).count <= encoded.count)
  case .token(let letters)?: precondition(letters.count <= bytes.count)
  case nil: break
  }
  return 0
}
