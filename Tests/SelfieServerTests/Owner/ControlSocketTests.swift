import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// `control.sock`, through which the owner's commands reach a server.
@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
  @Test func `the socket is the owner's alone, and goes with its server`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    _ = try await server.port()
    #expect(try server.folder.permissions(of: "storage/control.sock") == 0o600)
    await server.stop()
    #expect(!server.folder.exists("storage/control.sock"))
  }

  @Test func `the socket of a server that was killed is replaced`() async throws {
    let folder = try TemporaryFolder()
    let killed = try ServerProcess(in: folder)
    _ = try await killed.port()
    killed.signal(SIGKILL)
    _ = await killed.status()
    #expect(folder.exists("storage/control.sock"))
    // Nobody listens any more, so the command does the work itself.
    #expect(try await isRunning(in: folder) == false)

    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    #expect(try await isRunning(in: folder))
    await server.stop()
  }

  @Test func `a storage may be deeper than a socket's address is long`() async throws {
    let folder = try TemporaryFolder()
    let storage = Array(repeating: String(repeating: "d", count: 50), count: 4).joined(separator: "/")
    try folder.makeFolder(storage)
    #expect("\(folder.path)/\(storage)".utf8.count > 107)
    let environment = ["STORAGE_DIR": "\(folder.path)/\(storage)"]
    let server = try ServerProcess(environment: environment, in: folder)
    _ = try await server.port()
    #expect(try folder.permissions(of: "\(storage)/control.sock") == 0o600)
    #expect(try await isRunning(in: folder, environment))
    await server.stop()
    #expect(!folder.exists("\(storage)/control.sock"))
    #expect(try await isRunning(in: folder, environment) == false)
  }

  @Test func `what is no socket is left alone, by the server and by commands`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "storage/control.sock")
    try #require(chmod("\(folder.path)/storage", 0o700) == 0)
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    #expect(await server.errors.first { $0.contains("the owner's commands cannot reach this server") } != nil)
    let outcome = try await ServerProcess.run(["status"], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("control.sock is no socket."), "\(outcome.message)")
    await server.stop()
    #expect(try folder.text(of: "storage/control.sock") == "mine")
  }

  @Test(.enabled(if: geteuid() == 0)) func `a socket of another owner is refused`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    let socket = "\(folder.path)/storage/control.sock"
    try #require(chown(socket, 65_534, 65_534) == 0)
    let outcome = try await ServerProcess.run(["status"], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("belongs to the user nobody. Run the command as that user"), "\(outcome.message)")
    server.signal(SIGKILL)
    _ = await server.status()
    let next = try ServerProcess(in: folder)
    _ = try await next.port()
    #expect(await next.errors.first { $0.contains("belongs to the user nobody") } != nil)
    await next.stop()
  }

  @Test func `a storage that another process uses without a socket says so`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    // As long as a server that starts takes, a command waits for the socket.
    try folder.move("storage/control.sock", to: "storage/elsewhere")
    let command = try ServerProcess(["status", "--json"], in: folder)
    try folder.move("storage/elsewhere", to: "storage/control.sock")
    #expect(await command.status() == 0)
    #expect(await command.output.all().first?.contains("\"running\":true") == true)
    await server.stop()
  }

  @Test func `clients that send nothing, too much or no command keep nobody waiting`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    _ = try await server.port()
    let path = "\(server.folder.path)/storage/control.sock"
    let idle = try (0..<3).map { _ in try connect(to: path) }
    let long = try connect(to: path)
    try FileSystem.write([UInt8](repeating: 0x20, count: 70_000)[...], to: long, path: path)
    #expect((try? FileSystem.read(long, maxBytes: 100, path: path)) ?? [] == [])
    let wrong = try connect(to: path)
    try FileSystem.write(Array("{\"fly\":{}}\n".utf8)[...], to: wrong, path: path)
    let reply = String(decoding: try FileSystem.read(wrong, maxBytes: 1000, path: path), as: UTF8.self)
    #expect(
      reply.hasPrefix("{\"status\":400,\"byteCount\":0}\n{\"status\":400,\"message\":\"This server does not know"),
      "\(reply)")
    #expect(try await isRunning(in: server.folder))
    withExtendedLifetime(idle) {}
    await server.stop()
  }

  private func connect(to path: String) throws -> OpenFile {
    let address = try UnixSocketAddress(path: path)
    let file = OpenFile(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    try #require(address.withPointer { Glibc.connect(file.descriptor, $0, $1) } == 0)
    return file
  }

  private func isRunning(in folder: TemporaryFolder, _ environment: [String: String] = [:]) async throws -> Bool {
    let outcome = try await ServerProcess.run(["status", "--json"], environment: environment, in: folder)
    try #require(outcome.status == 0, "\(outcome.message)")
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.joined().utf8)) as? [String: Any]
    return try #require(json?["running"] as? Bool)
  }
}
