import CCurl
import HTTPMessages

/// A handle of libcurl with the connection of its last request. All unsafe code for libcurl is in this file.
/// `HTTPClient` keeps the handles.
///
/// The pointers are right because one thread at a time uses a handle, and because libcurl calls back during
/// `curl_easy_perform` only: until then the transfer, the fields and the buffer are alive, and then the handle forgets
/// them.
final class EasyHandle {
  private let pointer: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<CChar>

  private static let isReady = ccurl_begin() == CURLE_OK

  /// Nil if there is no memory for it.
  init?() {
    guard Self.isReady, let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    message.deallocate()
  }

  func perform(
    _ request: ClientRequest, _ transfer: Transfer, timeouts: ClientTimeouts, authorities: String?
  ) throws(ObjectStoreError) {
    guard let lines = request.lines else { throw .failed("a field has a control character") }
    var fields: UnsafeMutablePointer<curl_slist>?
    defer {
      // Keeps the connection and forgets everything else.
      curl_easy_reset(pointer)
      curl_slist_free_all(fields)
    }
    for line in lines {
      guard let longer = curl_slist_append(fields, line) else { throw .failed("libcurl: out of memory") }
      fields = longer
    }
    message.pointee = 0
    guard
      prepare(request, timeouts: timeouts, authorities: authorities),
      ccurl_set_fields(pointer, fields) == CURLE_OK,
      ccurl_set_message_buffer(pointer, message) == CURLE_OK,
      ccurl_set_callbacks(
        pointer, Unmanaged.passUnretained(transfer).toOpaque(), Self.send, Self.seek, Self.receiveLine,
        Self.receiveBody) == 1
    else { throw .failed("libcurl is older than it must be, or has no memory") }
    let code = withExtendedLifetime(transfer) { curl_easy_perform(pointer) }
    // Only the beginning of an error is needed, after which libcurl says that the transfer was ended from here.
    guard code == CURLE_OK || transfer.isBodyCut else { throw transfer.failure ?? error(code) }
    // To libcurl a connection that ends within the head is the end of a response.
    guard transfer.isHeadComplete else { throw .away("the connection has ended within the response's head") }
  }

  // MARK: - Options

  /// There are no redirects and no proxy, since a signature is for one host, and no signals, which other threads would
  /// get. HTTP/1.1 is enough where each request has a connection of its own. Content comes as it was stored.
  private func prepare(_ request: ClientRequest, timeouts: ClientTimeouts, authorities: String?) -> Bool {
    guard ccurl_prepare(pointer) == 1 else { return false }
    var codes = [
      ccurl_set_text(pointer, CURLOPT_URL, request.url),
      ccurl_set_long(pointer, CURLOPT_CONNECTTIMEOUT_MS, Int(timeouts.connect)),
      ccurl_set_long(pointer, CURLOPT_TIMEOUT_MS, Int(timeouts.whole(forBytes: request.maxTransferBytes))),
      ccurl_set_long(pointer, CURLOPT_LOW_SPEED_LIMIT, 1),
      ccurl_set_long(pointer, CURLOPT_LOW_SPEED_TIME, timeouts.stalled),
      ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, Self.bufferBytes),
      ccurl_set_long(pointer, CURLOPT_UPLOAD_BUFFERSIZE, Self.bufferBytes),
    ]
    if let authorities { codes.append(ccurl_set_text(pointer, CURLOPT_CAINFO, authorities)) }
    switch request.method {
    case .get: codes.append(ccurl_set_long(pointer, CURLOPT_HTTPGET, 1))
    case .head: codes.append(ccurl_set_long(pointer, CURLOPT_NOBODY, 1))
    case .put:
      codes.append(ccurl_set_long(pointer, CURLOPT_UPLOAD, 1))
      codes.append(ccurl_set_size(pointer, CURLOPT_INFILESIZE_LARGE, request.content.byteCount))
    default: codes.append(ccurl_set_text(pointer, CURLOPT_CUSTOMREQUEST, "\(request.method.name)"))
    }
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  /// Bytes that libcurl reads or sends at once. Its own 16 KiB would take more system calls.
  private static let bufferBytes = 128 * 1024

  // MARK: - What libcurl calls

  private static let send: curl_read_callback = { buffer, size, count, context in
    guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
    let room = UnsafeMutableRawBufferPointer(start: buffer, count: size &* count)
    guard let bytes = EasyHandle.transfer(context).next(maxBytes: room.count) else { return Int(CURL_READFUNC_ABORT) }
    // No more than there is room for: `next` was told.
    room.copyBytes(from: bytes)
    return bytes.count
  }

  private static let seek: curl_seek_callback = { context, offset, origin in
    // libcurl uses no other origin than the beginning.
    guard let context, origin == 0, EasyHandle.transfer(context).seek(to: Int64(offset)) else {
      return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
  }

  private static let receiveLine: curl_write_callback = { bytes, size, count, context in
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return EasyHandle.transfer(context).receive(line: line) ? line.count : 0
  }

  private static let receiveBody: curl_write_callback = { bytes, size, count, context in
    guard let context else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return EasyHandle.transfer(context).receive(body: body) ? body.count : 0
  }

  private static func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: - Errors

  private func error(_ code: CURLcode) -> ObjectStoreError {
    var reason = String(cString: message)
    if reason.isEmpty { reason = curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl: \(code.rawValue)" }
    switch code {
    // A handshake also fails when the server goes away during it.
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_SEND_ERROR,
      CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SSL_CONNECT_ERROR, CURLE_SEND_FAIL_REWIND:
      return .away(reason)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS:
      return .untrusted(reason)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      return .malformedResponse(reason)
    default: return .failed(reason)
    }
  }
}
