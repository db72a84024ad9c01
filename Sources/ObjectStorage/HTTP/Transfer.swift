import HTTPMessages
import Platform

/// How far a request and its response have come. `EasyHandle` moves the bytes.
final class Transfer {
  private let request: ClientRequest
  private var sent: Int64 = 0
  private(set) var response = ClientResponse()
  /// Why it was ended from here.
  private(set) var failure: ObjectStoreError?
  /// Whether the empty line after the fields of a final response has come.
  private(set) var isHeadComplete = false
  private var headBytes = 0
  private var hasBodyBegun = false
  /// Whether the rest of the body is not wanted.
  private(set) var isBodyCut = false

  private static let maxHeadBytes = 32 * 1024
  /// An error takes no more than its code and a sentence.
  private static let maxErrorBytes = 8 * 1024

  init(_ request: ClientRequest) {
    self.request = request
  }

  /// The next bytes to send, none at the end; nil to end the transfer.
  func next(maxBytes: Int) -> [UInt8]? {
    do throws(ObjectStoreError) {
      let bytes = try request.content.bytes(at: sent, maxBytes: maxBytes)
      sent += Int64(bytes.count)
      return bytes
    } catch {
      failure = error
      return nil
    }
  }

  /// Goes back, since the server ended a kept connection without a response. It may have taken the request.
  func seek(to offset: Int64) -> Bool {
    guard (0...request.content.byteCount).contains(offset) else { return false }
    response.wasResent = response.wasResent || sent == request.content.byteCount
    sent = offset
    return true
  }

  /// Takes a line of the head. False to end the transfer.
  func receive(line: some Collection<UInt8>) -> Bool {
    // Lines after the body are trailers, which must not change the head.
    guard !hasBodyBegun else { return true }
    headBytes += line.count
    guard headBytes <= Self.maxHeadBytes else {
      failure = .malformedResponse("the response's head is too long")
      return false
    }
    if line.starts(with: "HTTP/".utf8) {
      // A response such as 100 may come before the one that counts.
      let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
      response.status = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      response.fields = []
      isHeadComplete = false
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: line[..<colon].map(\.asciiLowercased), as: UTF8.self)
      let value = Array(line[colon...].dropFirst().prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") })
      response.fields.append((name, String(decoding: value[...].trimmed, as: UTF8.self)))
    } else if line.allSatisfy(\.isASCIISpace) {
      isHeadComplete = response.status >= 200
    }
    return true
  }

  /// Takes a part of the body. False to end the transfer.
  func receive(body bytes: some Collection<UInt8>) -> Bool {
    let limit = response.isSuccessful ? request.maxBodyBytes : Self.maxErrorBytes
    let room = max(0, limit - response.body.count)
    hasBodyBegun = true
    if response.body.isEmpty && response.isSuccessful {
      let announced = response["content-length"].flatMap { Int($0) } ?? 0
      response.body.reserveCapacity(min(limit, max(0, announced)))
    }
    response.body += bytes.prefix(room)
    guard bytes.count > room else { return true }
    if response.isSuccessful {
      failure = .malformedResponse("the response is longer than \(limit) bytes")
    } else {
      isBodyCut = true
    }
    return false
  }
}
