import HTTPMessages
import Platform

/// The hops that a request has come through before it reached the server's peer, as proxies have noted them: the
/// nearest first. `TrustedProxies` tells which proxies to believe.
///
/// Each proxy adds its own peer at the end of `X-Forwarded-For` or `Forwarded` (RFC 7239), and what stands before that
/// may be a client's invention. The lists are therefore read from their end: an unbalanced quote that a client has sent
/// cannot swallow what a proxy has added. `Forwarded` counts only where there is no `X-Forwarded-For`, since most proxies
/// write that one and pass on any other.
struct ForwardedHops: Sequence, IteratorProtocol {
  /// A proxy's note about its peer.
  enum Hop: Equatable {
    case address(ClientAddress)
    /// A name that hides the address, such as `_gazonk` (RFC 7239 §6.3); nil for `unknown`, or nothing that can be read.
    case hidden(as: String?)
  }

  /// A chain of proxies is not longer; clients can invent any number.
  static let maxHops = 64
  /// Longer than any element with `for`, `by`, `host` and `proto`.
  private static let maxElementBytes = 1024

  /// Those that are still to be read, the nearest hop in the last one.
  private var lines: [ArraySlice<UInt8>]
  private let isForwarded: Bool
  private var count = 0

  init(of head: RequestHead) {
    let lines = head.fields.all(.xForwardedFor)
    isForwarded = lines.isEmpty
    self.lines = isForwarded ? head.fields.all(.forwarded) : lines
  }

  /// - Returns: a hidden hop for one that is out of bounds: what stands before it is not believed.
  mutating func next() -> Hop? {
    while let last = lines.indices.last {
      lines[last] = Self.withoutEmptyElements(lines[last])
      guard !lines[last].isEmpty else {
        lines.removeLast()
        continue
      }
      count += 1
      guard count <= Self.maxHops else {
        lines = []
        return .hidden(as: nil)
      }
      let element = Self.takeLastElement(of: &lines[last])
      guard element.count <= Self.maxElementBytes else { return .hidden(as: nil) }
      return Self.hop(ofForwarded: isForwarded ? element : ArraySlice("for=".utf8) + element)
    }
    return nil
  }

  /// The list without commas and white space at its end.
  private static func withoutEmptyElements(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let last = line.lastIndex { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return last.map { line[...$0] } ?? []
  }

  /// Removes the last element of a list, with the comma before it.
  private static func takeLastElement(of line: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var start = line.endIndex
    var isQuoted = false
    while start > line.startIndex {
      let byte = line[start - 1]
      if byte == UInt8(ascii: ","), !isQuoted { break }
      if byte == UInt8(ascii: "\""), !isEscaped(line[..<(start - 1)]) { isQuoted.toggle() }
      start -= 1
    }
    defer { line = line[..<Swift.max(line.startIndex, start - 1)] }
    return line[start...].trimmed
  }

  /// Whether an odd number of backslashes stands before a character in a quoted string.
  private static func isEscaped(_ before: ArraySlice<UInt8>) -> Bool {
    before.reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }

  /// The value of `for` in an element such as `for="[2001:db8::1]:80";proto=https`.
  private static func hop(ofForwarded element: ArraySlice<UInt8>) -> Hop {
    (try? FieldParameters(element, of: "Forwarded")["for".utf8]).map(Hop.init) ?? .hidden(as: nil)
  }
}

extension ForwardedHops.Hop {
  /// Twice what an identifier of 64 characters with quotes and a port needs.
  private static let maxNodeLength = 160

  /// Reads a `node` (RFC 7239 §6), or what common proxies write instead: an address of either version, with or without
  /// brackets, quotes and a port.
  fileprivate init(node: ArraySlice<UInt8>) {
    guard node.count <= Self.maxNodeLength else {
      self = .hidden(as: nil)
      return
    }
    let text = String(decoding: node, as: UTF8.self)
    if let address = Self.address(text) {
      self = .address(address)
    } else if text.hasPrefix("_"), let name = text.split(separator: ":").first, Self.isIdentifier(name) {
      self = .hidden(as: String(name))
    } else {
      self = .hidden(as: nil)
    }
  }

  private static func address(_ text: String) -> ClientAddress? {
    if text.hasPrefix("[") {
      let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix(":") else { return nil }
      return plainAddress(parts[0])
    }
    if let address = plainAddress(text[...]) { return address }
    return text.lastIndex(of: ":").flatMap { plainAddress(text[..<$0]) }
  }

  /// An address without brackets and port. A zone such as `%eth0` says nothing about who the client is.
  private static func plainAddress(_ text: Substring) -> ClientAddress? {
    ClientAddress(text.prefix { $0 != "%" })
  }

  /// Whether it is an `obfnode`, and short enough to be one that tells clients apart.
  private static func isIdentifier(_ name: Substring) -> Bool {
    (2...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
  }
}
