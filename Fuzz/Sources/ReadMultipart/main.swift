import Foundation
import HTTPMessages

// Reads multipart bodies for Peers/compare.py: on each line a Content-Type and a body in base64, and how many bytes of the
// body arrive at a time. Writes the parts, or the error, of each as a line of JSON.

struct Part: Encodable {
  let name: String?
  let filename: String?
  var data: Data
}

struct Answer: Encodable {
  var parts: [Part]?
  var error: String?
}

func parts(contentType: [UInt8], body: [UInt8], pieceBytes: Int) throws -> [Part] {
  guard case .multipart(let boundary) = try BodyKind(contentType: contentType[...]) else { return [] }
  var parser = MultipartParser(boundary: boundary)
  var rest = body[...]
  var parts: [Part] = []
  while true {
    switch try parser.next() {
    case .part(let head):
      let filename: String? =
        switch head.kind {
        case .field: nil
        case .file(let name): name ?? ""
        case .dropped: ""
        case .misnamed(let error): throw error
        }
      parts.append(Part(name: head.name, filename: filename, data: Data()))
    case .data(let data): parts[parts.count - 1].data += data
    case .partEnd: continue
    case .needsMore where !rest.isEmpty:
      parser.append(Array(rest.prefix(pieceBytes)))
      rest = rest.dropFirst(pieceBytes)
    case .needsMore, .end:
      try parser.finish()
      return parts
    }
  }
}

let encoder = JSONEncoder()
while let line = readLine() {
  let words = line.split(separator: " ", omittingEmptySubsequences: false)
  let texts = words.prefix(2).map { Array(Data(base64Encoded: String($0)) ?? Data()) }
  var answer = Answer()
  do {
    guard words.count == 3, let pieceBytes = Int(words[2]), pieceBytes > 0 else {
      throw CocoaError(.formatting)
    }
    answer.parts = try parts(contentType: texts[0], body: texts[1], pieceBytes: pieceBytes)
  } catch {
    answer.error = "\(error)"
  }
  FileHandle.standardOutput.write(try encoder.encode(answer) + Data("\n".utf8))
}
