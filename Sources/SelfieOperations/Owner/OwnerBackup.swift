import Glibc
import HTTPMessages
import Platform
import SelfieAPI

extension OwnerConsole {
  /// A backup that is made while it is sent, so that it needs no room here. An error before its first byte is a response
  /// of its own. A later one ends the connection, so that nobody takes a part of a backup for the whole.
  func backup() async throws -> Response {
    let (folder, pool, now) = (try requireFolder(), try requireServer().slowWork, application.clock())
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError("socketpair")
    }
    let (output, input) = (Monitor<OpenFile?>(OpenFile(owning: ends[1])), OpenFile(owning: ends[0]))
    let outcome = Monitor<Result<Void, any Error>?>(nil)
    let isTaken = pool.submit {
      let result = Result {
        // Closed at the end of this block: the reader waits for that. If the reader goes away, writing fails.
        guard let output = output.withLock({ $0.take() }) else { return }
        _ = try StorageBackup(storage: folder, now: now).stream(to: output, name: Self.receiver)
      }
      outcome.withLock { $0 = result }
      outcome.notifyAll()
    }
    guard isTaken else { throw QueueFull() }
    let read = { @Sendable (count: Int) in
      try await pool.run {
        let bytes = try FileSystem.read(input, maxBytes: count, path: Self.receiver)
        if bytes.isEmpty { try outcome.wait { $0 }.get() }
        return bytes
      }
    }
    let first: [UInt8]
    do { first = try await read(Self.firstBytes) } catch { throw APIError(.conflict, "\(error)") }
    application.securityLog.log(ownersCommand: "owner's page: backup", [:], numbers: [:])
    var fields = ResponseFields(lines: "Content-Type: application/x-tar\r\nCache-Control: no-store\r\n")
    fields.append("Content-Disposition", "attachment; filename=\"\(BackupFolder.name(at: now))\"")
    return Response(
      status: .ok, fields: fields,
      body: .pages(BodyStream { offset, count in offset == 0 ? first : try await read(count) }))
  }

  /// Fewer than any piece of a body.
  private static let firstBytes = 512
  private static let receiver = "the owner's page"

  /// The values that the app has as constants. The page knows its own address if no other is set.
  func constants() -> OwnerReply {
    let settings = application.settings
    application.securityLog.log(ownersCommand: "owner's page: constants", [:], numbers: [:])
    return OwnerReply { json in
      json.member("api_auth_name", settings.authName)
      json.member("api_auth_password", settings.authPassword)
      json.member("public_url", settings.publicURL)
    }
  }
}
