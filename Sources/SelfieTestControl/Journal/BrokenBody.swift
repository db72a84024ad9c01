import HTTPMessages
import Platform

/// The part of a body around the byte at which it could not be read. It begins with a field or at the beginning of the
/// body: only the names of fields tell which texts are secret. `SecretMask` finds those, and Excerpt.swift shows the others.
struct BrokenBody {
  /// How fields are written, whatever Content-Type says.
  enum Syntax {
    case json, form
    /// With the two dashes before the boundary.
    case multipart(delimiter: [UInt8])
  }

  let bytes: [UInt8]
  /// The index of the byte; the count if more was expected.
  let place: Int
  let syntax: Syntax
  /// Whether there is more of the body before the bytes.
  let isContinued: Bool

  /// Bytes of JSON, of a form, and of a multipart body before and after the place. Clients send less than a thousand
  /// besides a photo, and all of them are searched for secrets.
  static let maxBytes = 4096

  /// - Parameters:
  ///   - read: the last bytes of the body that were read
  ///   - count: how many bytes of it were read in all
  ///   - offset: where it could not be read
  ///   - boundary: the one that Content-Type names
  /// - Returns: nil if the place is not among the bytes, for long JSON and forms, and if nothing has a name.
  init?(endOf read: [UInt8], count: Int, at offset: Int, boundary: [UInt8]?) {
    let place = offset - (count - read.count)
    guard (0...read.count).contains(place) else { return nil }
    if let boundary {
      let delimiter = Array("--".utf8) + boundary
      let near = read[max(0, place - Self.maxBytes)..<min(read.count, place + Self.maxBytes)]
      guard let start = near.firstOccurrence(of: delimiter, from: near.startIndex), start <= place else { return nil }
      (bytes, self.place, syntax) = (Array(near[start...]), place - start, .multipart(delimiter: delimiter))
      isContinued = start > 0 || read.count < count
    } else {
      guard count <= Self.maxBytes, let syntax = Syntax(of: read) else { return nil }
      (bytes, self.place, self.syntax, isContinued) = (read, place, syntax, false)
    }
  }
}

extension BrokenBody.Syntax {
  fileprivate init?(of body: [UInt8]) {
    let text = body.drop(while: \.isASCIISpace)
    if text.first == UInt8(ascii: "{") {
      self = .json
    } else if text.beginsPair {
      self = .form
    } else {
      return nil
    }
  }

  /// Whether bytes begin with what ends the value of one field and begins the next: a comma, a name in quotation marks
  /// of any kind and a colon; an ampersand, a name and an equals sign; a boundary.
  func beginsField(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .json: bytes.first == UInt8(ascii: ",") && bytes.dropFirst().beginsMember
    case .form: bytes.first == UInt8(ascii: "&") && bytes.dropFirst().beginsPair
    case .multipart(let delimiter):
      bytes.starts(with: delimiter) && bytes.dropFirst(delimiter.count).endsDelimiter
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var beginsMember: Bool {
    let isQuote: (UInt8) -> Bool = { $0 >= 0x80 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let quoted = drop(while: \.isASCIISpace)
    let name = quoted.drop(while: isQuote)
    let rest = name.drop(while: \.isPartOfName)
    let colon = rest.drop(while: isQuote).drop(while: \.isASCIISpace)
    return quoted.startIndex < name.startIndex && name.startIndex < rest.startIndex
      && colon.first == UInt8(ascii: ":")
  }

  /// A text that ends in `=` may be Base64.
  fileprivate var beginsPair: Bool {
    let rest = drop { $0.isPartOfName || "-.[]%".utf8.contains($0) }
    let value = rest.dropFirst()
    return startIndex < rest.startIndex && rest.first == UInt8(ascii: "=") && !value.isEmpty
      && value.first != UInt8(ascii: "=")
  }

  /// Whether these bytes may follow a boundary.
  fileprivate var endsDelimiter: Bool {
    let next = drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.first
    return starts(with: "--".utf8) || next.map { "\r\n".utf8.contains($0) } ?? true
  }
}

extension UInt8 {
  /// Of a name such as `new_password`.
  var isPartOfName: Bool { isASCIIAlphanumeric || self == UInt8(ascii: "_") }
}
