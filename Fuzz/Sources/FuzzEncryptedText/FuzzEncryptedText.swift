import Cryptography

private let cipher = AESCrypt(password: Array("p4ssw0rd".utf8))

/// Any text decrypts or is refused, and encrypted text decrypts to the original.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = cipher.decrypt(bytes)
  precondition(cipher.decrypt(Array(cipher.encrypt(bytes).utf8)) == bytes, "encrypted and decrypted")
  precondition(Base64.decodeLeniently(Base64.encode(bytes).utf8) == bytes, "encoded and decoded")
  return 0
}
