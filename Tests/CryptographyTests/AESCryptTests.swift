import Cryptography
import Testing

@Suite struct AESCryptTests {
  private let crypt = AESCrypt(password: Array("p4ssw0rd".utf8))
  private static let longKey = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"

  @Test(
    arguments: [
      ("p4ssw0rd", "top secret message", "EQyz+ukU+ss+Sinf15bApdYj5ANrRwY632v8EhrzLPk="),
      (longKey, "secret12", "YareGHgQouCl2QNmTjUsyQ=="),
    ])
  func `what the clients send`(password: String, plain: String, text: String) {
    let crypt = AESCrypt(password: Array(password.utf8))
    #expect(crypt.encrypt(Array(plain.utf8)) == text)
    #expect(crypt.decrypt(Array(text.utf8)) == Array(plain.utf8))
    #expect(crypt.decrypt(Array("\n!-\(text)\r\nAAAA".utf8)) == Array(plain.utf8), "base64 is read leniently")
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 1000])
  func `lengths around the blocks`(length: Int) {
    let plain = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    #expect(crypt.decrypt(Array(crypt.encrypt(plain).utf8)) == plain)
  }

  @Test(
    arguments: [
      "", "!!!", "=", "secret12", "AAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAA==", "YareGHgQouCl2QNmTjUsyQ==",
      "EQyz+ukU+ss+Sinf15bApQ==", "EQyz+ukU+ss+Sinf15bApdYj5ANrRwY632v8EhrzLA",
    ])
  func `what does not decrypt is nil`(text: String) {
    #expect(crypt.decrypt(Array(text.utf8)) == nil)
  }
}
