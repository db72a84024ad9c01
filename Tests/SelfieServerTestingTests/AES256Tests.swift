import Testing

@testable import SelfieServerTesting

@Suite struct AES256Tests {
  /// From FIPS 180-4's examples, and at the lengths at which the padding needs another block.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
  ])
  func `SHA-256`(message: String, digest: String) {
    #expect(hex(sha256(Array(message.utf8))) == digest)
  }

  /// FIPS 197, C.3.
  @Test func `a block of AES-256`() {
    let aes = AES256(key: Array(0..<32))
    #expect(hex(aes.encrypt(block: (0..<16).map { $0 * 0x11 })) == "8ea2b7ca516745bfeafc49904b496089")
  }

  @Test(
    arguments: [
      ("p4ssw0rd", "top secret message", "EQyz+ukU+ss+Sinf15bApdYj5ANrRwY632v8EhrzLPk="),
      ("20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e", "secret12", "YareGHgQouCl2QNmTjUsyQ=="),
    ])
  func `what the app sends`(password: String, plain: String, text: String) {
    #expect(AES256(password: password).encrypt(plain) == text)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
