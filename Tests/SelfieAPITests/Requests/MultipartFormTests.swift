import APITestSupport
import Testing

@testable import HTTPMessages
@testable import SelfieAPI

/// Parts of a multipart body as parameters.
@Suite struct MultipartFormTests {
  private func form(_ parts: [(PartHead, [[UInt8]])]) throws -> [String: ParameterValue] {
    var form = MultipartForm()
    for (head, pieces) in parts {
      form.begin(head)
      for piece in pieces { try form.append(piece[...]) }
      try form.end()
    }
    return form.values
  }

  @Test func `fields are texts, files are names and sizes`() throws {
    let values = try form([
      (PartHead(name: "title", kind: .field), [Array("ab".utf8), Array("c".utf8)]),
      (PartHead(name: "image", kind: .file(filename: "p")), [[1, 2], [3]]),
      (PartHead(name: "empty", kind: .field), []),
      (PartHead(name: "none", kind: .dropped), [[1]]),
      (PartHead(name: nil, kind: .field), [[1]]),
      (PartHead(name: "user[name]", kind: .field), [Array("x".utf8)]),
    ])
    #expect(
      values == [
        "title": .string("abc"), "empty": .string(""),
        "image": .file(filename: "p", byteCount: 3, contentType: "application/octet-stream"),
        "user": .object(["name": .string("x")]),
      ])
  }

  @Test func `a text may be as long as the limit and not longer`() throws {
    let head = PartHead(name: "title", kind: .field)
    let longest = [UInt8](repeating: 0x61, count: RequestLimits.maxTextBytes)
    #expect(try form([(head, [longest])]) == ["title": .string(String(decoding: longest, as: UTF8.self))])
    let error = try #require(throws: APIError.self) { try form([(head, [longest, [0x61]])]) }
    #expect(error.status == .contentTooLarge)
  }

  @Test func `a file's bytes are not kept, so they have no limit here`() throws {
    let piece = [UInt8](repeating: 0, count: RequestLimits.maxTextBytes)
    let values = try form([(PartHead(name: "image", kind: .file(filename: nil)), [piece, piece, piece])])
    let type = "application/octet-stream"
    #expect(values == ["image": .file(filename: nil, byteCount: 3 * piece.count, contentType: type)])
  }

  @Test func `a text that is not UTF-8 is refused by name where it is needed`() throws {
    let values = try form([(PartHead(name: "title", kind: .field), [[0x61, 0xff]])])
    let error = try #require(throws: APIError.self) { try Parameters(values).text("title") }
    #expect(error.status == .badRequest)
    #expect(error.message == "The multipart field title is not valid UTF-8.")
  }

  @Test func `each level of a name counts as memory`() throws {
    var form = MultipartForm()
    for index in 0..<31 {
      form.begin(PartHead(name: "l\(index)" + String(repeating: "[a]", count: 31), kind: .field))
      try form.end()
    }
    // 161 bytes for each of the dictionaries.
    #expect(form.memory > 31 * 32 * 161)
  }

  @Test func `a character that is cut between two pieces is put together again`() throws {
    #expect(try form([(PartHead(name: "t", kind: .field), [[0xc3], [0xa9]])]) == ["t": .string("é")])
  }
}
