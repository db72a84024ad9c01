/// How far a request and its response have come.
final class Transfer {
  private let content: RequestContent
  private let maxBodyBytes: Int
  private var sent: Int64 = 0
  /// Whether all of the content was sent, and then once more.
  private(set) var wasResent = false
  private(set) var head = ResponseHead()
  private(set) var body: [UInt8] = []
  /// Why it was ended from here.
  private(set) var failure: ClientError?
  private var hasBodyBegun = false
  /// Whether the rest of the body is not wanted.
  private(set) var isBodyCut = false

  /// An error takes no more than its code and a sentence.
  private static let maxErrorBytes = 8 * 1024

  init(_ request: ClientRequest) {
    content = request.content
    maxBodyBytes = request.maxBodyBytes
  }

  /// The next bytes to send, none at the end; nil to end the transfer.
  func next(maxBytes: Int) -> [UInt8]? {
    do throws(ClientError) {
      let bytes = try content.bytes(at: sent, maxBytes: maxBytes)
      sent += Int64(bytes.count)
      return bytes
    } catch {
      failure = error
      return nil
    }
  }

  /// Goes back, since the server ended a kept connection without a response. It may have taken the request.
  func seek(to offset: Int64) -> Bool {
    guard (0...content.byteCount).contains(offset) else { return false }
    wasResent = wasResent || sent == content.byteCount
    sent = offset
    return true
  }

  /// False to end the transfer.
  func receive(line: some Collection<UInt8>) -> Bool {
    // What comes after the body are trailers, which must not change the head.
    guard hasBodyBegun || head.append(line) else {
      failure = .malformedResponse("the response's head is too long")
      return false
    }
    return true
  }

  /// False to end the transfer.
  func receive(body bytes: some Collection<UInt8>) -> Bool {
    let isSuccessful = (200..<300).contains(head.status)
    let room = max(0, (isSuccessful ? maxBodyBytes : Self.maxErrorBytes) - body.count)
    hasBodyBegun = true
    if body.isEmpty && isSuccessful { body.reserveCapacity(min(maxBodyBytes, announcedBytes)) }
    body += bytes.prefix(room)
    guard bytes.count > room else { return true }
    if isSuccessful {
      failure = .malformedResponse("the response is longer than \(maxBodyBytes) bytes")
    } else {
      isBodyCut = true
    }
    return false
  }

  private var announcedBytes: Int {
    let length = head.fields.first { $0.name == "content-length" }?.value ?? ""
    return max(0, Int(length) ?? 0)
  }
}
