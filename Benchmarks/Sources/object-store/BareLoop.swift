import CCurl
import Glibc
import Measuring
import ObjectStorage
import Platform
import Synchronization

/// Requests of libcurl and nothing else. Each client signs its request once, which is good for a quarter of an hour, and
/// throws away what it gets or copies it to a buffer of the size of ObjectStore's pieces.
struct BareLoop {
  private let settings: ObjectStoreSettings
  private let content: [UInt8]
  private let isPut: Bool
  private let keeps: Bool
  /// Nil for a request without content.
  private let digest: [UInt8]?

  init(_ settings: ObjectStoreSettings, _ content: [UInt8], _ digest: [UInt8], isPut: Bool, keeps: Bool) {
    (self.settings, self.content, self.isPut, self.keeps) = (settings, content, isPut, keeps)
    self.digest = isPut ? digest : nil
  }

  /// Sends them on a thread for each client. Returns how many there were.
  func requests(_ clients: Int, until deadline: Double) throws -> Int {
    let count = Atomic<Int>(0)
    let threads = try (0..<clients).map { client in
      try Thread(named: "libcurl") { count.add(requests(ObjectStoreRate.key(client), deadline), ordering: .relaxed) }
    }
    for thread in threads { thread.join() }
    return count.load(ordering: .relaxed)
  }

  private func requests(_ key: String, _ deadline: Double) -> Int {
    let fields = settings.signature.headers(
      method: isPut ? "PUT" : "GET", host: settings.host, path: settings.path(of: key), digest: digest,
      at: Int64(time(nil)))
    var list = curl_slist_append(nil, "Expect:")
    for field in fields { list = curl_slist_append(list, "\(field.name): \(field.value)") }
    guard let handle = curl_easy_init() else { fail("curl_easy_init") }
    defer {
      curl_easy_cleanup(handle)
      curl_slist_free_all(list)
    }
    let transfer = BareTransfer(content, keeps: keeps)
    // The same sizes of buffers as ObjectStorage's.
    let isPrepared =
      ccurl_prepare(handle) == 1 && ccurl_set_text(handle, CURLOPT_URL, settings.url(of: key)) == CURLE_OK
      && ccurl_set_fields(handle, list) == CURLE_OK && ccurl_set_long(handle, CURLOPT_FAILONERROR, 1) == CURLE_OK
      && ccurl_set_long(handle, CURLOPT_UPLOAD, isPut ? 1 : 0) == CURLE_OK
      && ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, Int64(content.count)) == CURLE_OK
      && ccurl_set_long(handle, CURLOPT_BUFFERSIZE, 128 * 1024) == CURLE_OK
      && ccurl_set_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, 128 * 1024) == CURLE_OK
      && ccurl_set_callbacks(
        handle, Unmanaged.passUnretained(transfer).toOpaque(), BareTransfer.send, BareTransfer.seek,
        BareTransfer.ignore, BareTransfer.receive) == 1
    guard isPrepared else { fail("curl_easy_setopt") }
    var count = 0
    while monotonicSeconds() < deadline {
      (transfer.sent, transfer.received) = (0, 0)
      let code = withExtendedLifetime(transfer) { curl_easy_perform(handle) }
      guard code == CURLE_OK, isPut || transfer.received == content.count else {
        fail("libcurl: \(String(cString: curl_easy_strerror(code)))")
      }
      count += 1
    }
    return count
  }
}

/// How far a request has come. The callbacks' pointers are right while `curl_easy_perform` runs.
private final class BareTransfer {
  private let content: [UInt8]
  var sent = 0
  var received = 0
  private var kept: [UInt8]

  init(_ content: [UInt8], keeps: Bool) {
    self.content = content
    kept = [UInt8](repeating: 0, count: keeps ? ObjectStore.maxPieceBytes : 0)
  }

  static let send: curl_read_callback = { buffer, size, count, context in
    guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
    let transfer = BareTransfer.of(context)
    let length = min(size &* count, transfer.content.count - transfer.sent)
    transfer.content.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { _ = memcpy(buffer, start + transfer.sent, length) }
    }
    transfer.sent += length
    return length
  }

  static let seek: curl_seek_callback = { context, offset, _ in
    guard let context else { return CURL_SEEKFUNC_FAIL }
    BareTransfer.of(context).sent = Int(offset)
    return CURL_SEEKFUNC_OK
  }

  static let ignore: curl_write_callback = { _, size, count, _ in size &* count }

  static let receive: curl_write_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    BareTransfer.of(context).receive(UnsafeRawBufferPointer(start: bytes, count: size &* count))
    return size &* count
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    kept.withUnsafeMutableBytes { piece in
      guard !piece.isEmpty else { return }
      let offset = received % piece.count
      piece[offset...].copyBytes(from: bytes.prefix(piece.count - offset))
    }
    received += bytes.count
  }

  private static func of(_ context: UnsafeMutableRawPointer) -> BareTransfer {
    Unmanaged<BareTransfer>.fromOpaque(context).takeUnretainedValue()
  }
}
