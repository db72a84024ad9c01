import TestSupport
import Testing

@testable import HTTPMessages

/// A part as the caller puts it together from the events.
private struct Part: Equatable {
  var head: PartHead
  var data: [UInt8]

  static func field(_ name: String?, _ text: String) -> Part {
    Part(head: PartHead(name: name, kind: .field, hasDisposition: name != nil), data: Array(text.utf8))
  }

  static func file(_ filename: String?, _ text: String) -> Part { file(filename, Array(text.utf8)) }

  static func file(_ filename: String?, _ data: [UInt8]) -> Part {
    Part(head: PartHead(name: "image", kind: .file(filename: filename)), data: data)
  }
}

/// Everything a body holds, or why it does not; the body comes in the given pieces.
private func parse(_ pieces: [ArraySlice<UInt8>], boundary: String = "B") -> Result<[Part], ParameterError> {
  var parser = MultipartParser(boundary: Array(boundary.utf8))
  var parts: [Part] = []
  do throws(ParameterError) {
    for piece in pieces {
      parser.append(Array(piece))
      reading: while true {
        switch try parser.next() {
        case .part(let head): parts.append(Part(head: head, data: []))
        case .data(let data):
          #expect(!data.isEmpty)
          parts[parts.count - 1].data += data
        case .partEnd: continue
        case .needsMore, .end: break reading
        }
      }
    }
    try parser.finish()
    return .success(parts)
  } catch {
    return .failure(error)
  }
}

private func parse(_ body: String, boundary: String = "B") -> Result<[Part], ParameterError> {
  parse([Array(body.utf8)[...]], boundary: boundary)
}

private let imageHead = "Content-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n\r\n"
private let titleHead = "Content-Disposition: form-data; name=\"title\"\r\n\r\n"
private let iosBoundary = "---------------------------14737809831466499882746641449"

/// An image and a title, as the iOS client writes them.
private func upload(_ image: [UInt8], boundary: String = "B") -> [UInt8] {
  Array("--\(boundary)\r\n\(imageHead)".utf8) + image
    + Array("\r\n--\(boundary)\r\n\(titleHead)t\r\n--\(boundary)--\r\n".utf8)
}

@Suite struct MultipartParserTests {
  @Test(
    arguments: [
      [], [0x00], Array("\r\n".utf8), Array("abc\r\n".utf8), Array("--".utf8),
      Array("a\r\n--\(iosBoundary.dropLast())\r\nb".utf8), Array("a\r\n--\(iosBoundary)x\r\nb".utf8),
      Array("a--\(iosBoundary)b".utf8), Array("--\(iosBoundary)-\r\n".utf8), Array("\r\r\n\r".utf8),
      Array("a\r\n\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx".utf8),
      [0xFF, 0xD8, 0xFF, 0xE0] + Array(0...255), (0..<16_384).map { UInt8($0 % 251) },
    ] as [[UInt8]])
  func `the image is what was sent`(image: [UInt8]) {
    let body = upload(image, boundary: iosBoundary)
    #expect(parse([body[...]], boundary: iosBoundary) == .success([.file("photo", image), .field("title", "t")]))
  }

  @Test(
    arguments: [
      ("preamble\r\n\r\n--B\r\n\(titleHead)t\r\n--B--", [.field("title", "t")]),
      ("\r\n--B\r\n\(titleHead)t\r\n--B--\r\nepilogue\r\n--B\r\n", [.field("title", "t")]),
      ("x--B\r\n\(imageHead)x\r\n--B\r\n\(titleHead)t\r\n--B--\r\n", [.field("title", "t")]),
      ("--B\r\n\(titleHead)\r\n--B--", [.field("title", "")]), ("--B\r\n\(titleHead)--B--", [.field("title", "")]),
      ("--B\r\n\r\nx\r\n--B\r\n\(imageHead)y\r\n--B--", [.field(nil, "x"), .file("photo", [0x79])]),
      (
        "--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B\r\n\(titleHead)t\r\n--B--",
        [Part(head: PartHead(name: nil, kind: .field), data: [0x78]), .field("title", "t")]
      ),
      (
        "--B\r\n\(titleHead)1\r\n--B\r\n\(titleHead)2\r\n--B--", [.field("title", "1"), .field("title", "2")]
      ),
      (
        "--B\r\nContent-Disposition: form-data; name=\"image\"; filename=\"\"\r\n\r\nx\r\n--B--",
        [Part(head: PartHead(name: "image", kind: .dropped), data: [0x78])]
      ),
    ] as [(String, [Part])])
  private func `bodies that the original took, but for what the delimiters are`(body: String, parts: [Part]) {
    #expect(parse(body) == .success(parts))
  }

  /// RFC 2046 §5.1.1: a delimiter begins a line, and white space at most follows it.
  @Test(
    arguments: [
      ("a--B\r\nb", [.file("photo", "a--B\r\nb"), .field("title", "t")]),
      ("a--B--b", [.file("photo", "a--B--b"), .field("title", "t")]),
      ("a\n--B\r\nb", [.file("photo", "a\n--B\r\nb"), .field("title", "t")]),
      ("a\r--B--\r\nb", [.file("photo", "a\r--B--\r\nb"), .field("title", "t")]),
      ("a\r\n--Bb\r\n--B-\r\n--B-b", [.file("photo", "a\r\n--Bb\r\n--B-\r\n--B-b"), .field("title", "t")]),
      ("a\r\n --B\r\n", [.file("photo", "a\r\n --B\r\n"), .field("title", "t")]),
      ("\r\n", [.file("photo", "\r\n"), .field("title", "t")]),
      ("\r\n\r", [.file("photo", "\r\n\r"), .field("title", "t")]),
      ("a\r\n--B \t\r\n\(titleHead)u", [.file("photo", "a"), .field("title", "u"), .field("title", "t")]),
      ("--B\r\n\(titleHead)u", [.file("photo", ""), .field("title", "u"), .field("title", "t")]),
      (
        "a\r\n--B\r\n\r\n--B\r\n\(titleHead)u",
        [.file("photo", "a"), .field(nil, ""), .field("title", "u"), .field("title", "t")]
      ),
      ("a\r\n--B-- \r\nb", [.file("photo", "a")]), ("a\r\n--B--b", [.file("photo", "a")]),
      (
        "a\r\n--B\(String(repeating: " ", count: 64))\r\n\(titleHead)u",
        [.file("photo", "a"), .field("title", "u"), .field("title", "t")]
      ),
    ] as [(String, [Part])])
  private func `only delimiters end a part`(image: String, parts: [Part]) {
    let body = upload(Array(image.utf8))
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      #expect(parse(pieces) == .success(parts), "pieces of \(size)")
    }
  }

  /// Some of today's parsers take them for delimiters, and others for data.
  @Test(arguments: [
    "--B b", "--B\n", "--B\rb", "--B \n", "--B\t\r\r\n", "--B" + String(repeating: " ", count: 65) + "\r\n",
  ])
  func `what may be a delimiter or not is refused`(line: String) {
    let body = upload(Array("a\r\n\(line)b\r\n".utf8))
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      let error = #expect(throws: ParameterError.self) { try parse(pieces).get() }
      #expect(error?.message.contains("after the boundary") == true)
    }
  }

  /// Today's parsers disagree on them, and the part after them would be lost.
  @Test(
    arguments: [
      "\n", "\r", "\u{feff}", " ", "\t", "text\n", "text\r\n ", "\r\n\n", "\r\n" + String(repeating: "\t", count: 20),
      "text\n" + String(repeating: " ", count: 100), "\u{feff}" + String(repeating: " ", count: 20),
      "text\r" + String(repeating: "\t ", count: 20),
    ])
  func `what stands before the first boundary without ending a line is named`(before: String) {
    let body = Array("\(before)--B\r\n\(titleHead)t\r\n--B--\r\n".utf8)
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      let error = #expect(throws: ParameterError.self) { try parse(pieces).get() }
      #expect(error?.message.contains("first boundary") == true, "pieces of \(size)")
    }
  }

  @Test(arguments: ["x", "text and text", "\r\n--Bx\r\n--Bc", "\(String(repeating: "p", count: 200))\r\n--Bb"])
  func `a boundary within a line of the preamble is text`(before: String) {
    let body = Array("\(before)--B\r\n\(titleHead)t\r\n--B\r\n\(titleHead)u\r\n--B--\r\n".utf8)
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      #expect(parse(pieces) == .success([.field("title", "u")]), "pieces of \(size)")
    }
  }

  @Test func `an empty line before a head is no head`() {
    let body = Array("--B\r\n\r\n\(titleHead)t\r\n--B\r\n\r\nContent-X\r\n--B--\r\n".utf8)
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      #expect(parse(pieces) == .success([.field("title", "t"), .field(nil, "Content-X")]), "pieces of \(size)")
    }
  }

  @Test func `the array of a piece is released once its bytes are taken`() throws {
    var parser = MultipartParser(boundary: Array("B".utf8))
    parser.append(Array("--B\r\n\(titleHead)".utf8) + [UInt8](repeating: 0x61, count: 60_000))
    while try parser.next() != .needsMore {}
    #expect(parser.heldBytes < 100)
  }

  @Test func `a body without parts is an empty form`() {
    #expect(parse("--B--\r\n") == .success([]))
  }

  @Test(
    arguments: [
      ("", "does not begin with its boundary"), ("hello", "does not begin with its boundary"),
      ("--B\n\(titleHead)t\n--B--", "after the boundary"),
      ("--other\r\n\(titleHead)t\r\n--other--\r\n", "does not begin with its boundary"),
      ("--B\r\n", "within the head of a part"),
      ("--B\r\nContent-Disposition: form-data; name=\"title\"\r\n--B--\r\n", "within the head of a part"),
      ("--B\r\n\(titleHead)t\r\n--B\r\n", "within the head of a part"), ("--B\r\n\(titleHead)t", "within a part"),
      ("--B\r\n\(titleHead)t\r\n--B", "within a part"), ("--B\r\n\(titleHead)t\r\n--B-", "within a part"),
    ])
  func `bodies that ended in an exception`(body: String, reason: String) {
    let error = #expect(throws: ParameterError.self, "\(body)") { try parse(body).get() }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  /// `¦` stands before the byte that is to blame.
  @Test(arguments: [
    "--B¦\n\(titleHead)t\n--B--", "--B ¦x\r\n", "--B\(String(repeating: " ", count: 64))¦ \r\n", "\n¦--B\r\n",
    "text\r\n ¦--B\r\n\(titleHead)", "--B\r\n\(titleHead)t\r\n--B¦\r\r", "--B\r\n¦title\r\n\r\nt\r\n--B--",
    "--B\r\nX: y\r\nContent-Disposition: form-data; ¦name\r\n\r\nt\r\n--B--",
    "--B\r\nContent-Disposition:form-data; name=\"a\"; ¦Name=\"b\"\r\n\r\nt\r\n--B--",
    "--B\r\n\(titleHead)t\r\n--B\r\nContent-Disposition: form-data¦\nX: y\r\n\r\n",
    "--B\r\nContent-Disposition: form-data\r\n¦Content-Disposition: form-data\r\n\r\n",
    "--B\r\nContent-Disposition: form-data; name=\"title\"\r\nt\r\n¦--B--\r\n",
    "--B\r\nContent-Disposition: form-data; name=\"title\"\r\nt\r\n¦--B\r\n\(titleHead)t\r\n--B--\r\n",
    "--B\r\n\(titleHead)t\r\n--B\r\n¦", "--B\r\n\(titleHead)t\r\n--B¦", "--B\r\n\(titleHead)¦",
    "--B\r\n\(titleHead)t\r\n--B\r\n¦X:\(String(repeating: "x", count: MultipartParser.maxHead))\r\n\r\n",
    String(repeating: "--B\r\n\(titleHead)t\r\n", count: MultipartParser.maxParts) + "--B\r\n¦\(titleHead)t",
  ])
  func `an error has its place in the body, however that is cut`(marked: String) throws {
    let place = try #require(marked.firstIndex(of: "¦"))
    let body = Array(marked.replacing("¦", with: "").utf8)
    for size in [body.count, 1, 3, 7] {
      let pieces = stride(from: 0, to: body.count, by: size).map { body[$0..<min($0 + size, body.count)] }
      let error = #expect(throws: ParameterError.self) { try parse(pieces).get() }
      #expect(error?.offset == marked[..<place].utf8.count, "pieces of \(size): \(error?.message ?? "")")
    }
  }

  @Test func `Preamble, head and number of parts are bounded, at the same place however the body is cut`() {
    func isAccepted(_ body: [UInt8], cut: Int) -> Bool {
      let pieces = stride(from: 0, to: body.count, by: cut).map { body[$0..<min($0 + cut, body.count)] }
      return (try? parse(pieces).get()) != nil
    }
    let cases: [(limit: Int, body: (Int) -> String)] = [
      (
        MultipartParser.maxPreamble, { String(repeating: "p", count: $0 - 2) + "\r\n--B\r\n\(titleHead)t\r\n--B--" }
      ),
      (MultipartParser.maxHead, { "--B\r\nX:" + String(repeating: "x", count: $0 - 4) + "\r\n\r\nt\r\n--B--" }),
      (
        MultipartParser.maxHeads,
        { limit in
          (0..<8).map { part in
            let count = part < 7 ? limit / 8 : limit - 7 * (limit / 8)
            return "--B\r\nX:" + String(repeating: "x", count: count - 4) + "\r\n\r\nt\r\n"
          }.joined() + "--B--"
        }
      ),
      (
        MultipartParser.maxParts,
        { String(repeating: "--B\r\n\(titleHead)t\r\n", count: $0) + "--B--" }
      ),
    ]
    for (limit, body) in cases {
      for cut in [1, 7, 4_096, 1 << 20] {
        #expect(isAccepted(Array(body(limit).utf8), cut: cut), "\(limit), cut by \(cut)")
        #expect(!isAccepted(Array(body(limit + 1).utf8), cut: cut), "\(limit) and one more, cut by \(cut)")
      }
    }
  }

  @Test func `a failed parser goes on failing, an ended one stays at its end`() throws {
    var failed = MultipartParser(boundary: [0x42])
    failed.append(Array(repeating: 0x61, count: 20_000))
    for _ in 0..<2 { #expect(throws: ParameterError.self) { try failed.next() } }
    #expect(throws: ParameterError.self) { try failed.finish() }

    var ended = MultipartParser(boundary: [0x42])
    ended.append(Array("--B\r\n\(titleHead)\r\n--B--".utf8))
    #expect(try ended.next() == .part(PartHead(name: "title", kind: .field)))
    #expect(try ended.next() == .partEnd)
    ended.append([0x61])
    for _ in 0..<2 { #expect(try ended.next() == .end) }
    try ended.finish()
  }

  @Test func `At most a delimiter's length is held back`() throws {
    let image = Array("a\r\n--\(iosBoundary)".utf8)
    let body = upload(image, boundary: iosBoundary)
    let start = Array("--\(iosBoundary)\r\n\(imageHead)".utf8).count
    for end in start...(start + image.count) {
      var parser = MultipartParser(boundary: Array(iosBoundary.utf8))
      parser.append(Array(body[..<end]))
      #expect(try parser.next() == .part(PartHead(name: "image", kind: .file(filename: "photo"))))
      var released = 0
      while case .data(let data) = try parser.next() { released += data.count }
      #expect(end - start - released <= iosBoundary.utf8.count + 6)
    }
  }

  @Test(
    arguments: [
      (upload(Array("a\r\n--Bx\r\n--B-\r\n\r--B\r\r\n--b".utf8)), "B"),
      (upload(Array("\r\n--\(iosBoundary.dropLast())--\r\n".utf8), boundary: iosBoundary), iosBoundary),
      (upload(Array("-----\r\n-----".utf8), boundary: "-----"), "-----"),
      (Array("p\r\n--B\r\n\(imageHead)a--B\r\nb\r\n--B\r\n\(titleHead)t\r\n--B--x".utf8), "B"),
      (Array("--B\r\n\(titleHead)t\r\n--B".utf8), "B"),
      (Array("--B\r\n\r\nx\r\n--B\r\n\(imageHead)y--B\r\n--B--".utf8), "B"),
    ])
  func `However a body is cut, the parts are the same`(body: [UInt8], boundary: String) {
    let whole = parse([body[...]], boundary: boundary)
    for cut in body.indices {
      #expect(parse([body[..<cut], body[cut...]], boundary: boundary) == whole, "cut at \(cut)")
    }
    #expect(parse(body.indices.map { body[$0...$0] }, boundary: boundary) == whole)
  }

  @Test func `Random bodies, randomly cut, do not crash it and are read the same`() {
    var generator = SplitMix64(seed: 6)
    let words = ["--B", "\r\n", "--", "\r", "\n", "-", "B", "x", titleHead, imageHead, "\r\n--B\r\n", "\r\n--B--"]
      .map { Array($0.utf8) }
    var accepted = 0
    for _ in 0..<10_000 {
      let count = Int.random(in: 0...10, using: &generator)
      let middle = (0..<count).flatMap { _ in words.randomElement(using: &generator) ?? [] }
      let body = Array("--B\r\n\(titleHead)".utf8) + middle
      let cuts = (0..<3).map { _ in Int.random(in: 0...body.count, using: &generator) }.sorted()
      let whole = parse([body[...]])
      if case .success = whole { accepted += 1 }
      let pieces = [body[..<cuts[0]], body[cuts[0]..<cuts[1]], body[cuts[1]..<cuts[2]], body[cuts[2]...]]
      #expect(parse(pieces) == whole)
    }
    #expect(accepted > 1_000)
  }
}
