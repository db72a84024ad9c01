import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieServer

/// `control.sock`, through which the owner's commands reach a server.
@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
  @Test func `the socket is the owner's alone, goes with its server, and that of a killed one is replaced`()
    async throws
  {
    let killed = try await ServerProcess().listening()
    let folder = killed.folder
    #expect(try folder.permissions(of: "storage/control.sock") == 0o600)
    await killed.kill()
    #expect(folder.exists("storage/control.sock"))
    // No server listens any more, so the command does the work itself.
    #expect(try await isRunning(in: folder) == false)

    let server = try await ServerProcess(in: folder).listening()
    #expect(try await isRunning(in: folder))
    // As long as a server that starts takes, a command waits for the socket.
    try folder.move("storage/control.sock", to: "storage/elsewhere")
    let command = try ServerProcess(["status", "--json"], in: folder)
    try folder.move("storage/elsewhere", to: "storage/control.sock")
    #expect(try await command.outcome(1).json([String: Any].self)["running"] as? Bool == true)
    await server.stop()
    #expect(!folder.exists("storage/control.sock"))
  }

  @Test func `a storage may be deeper than a socket's address is long`() async throws {
    let folder = try TemporaryFolder()
    let storage = Array(repeating: String(repeating: "d", count: 50), count: 4).joined(separator: "/")
    try folder.makeFolder(storage)
    #expect("\(folder.path)/\(storage)".utf8.count > 107)
    let environment = ["STORAGE_DIR": "\(folder.path)/\(storage)"]
    let server = try await ServerProcess(environment: environment, in: folder).listening()
    #expect(try folder.permissions(of: "\(storage)/control.sock") == 0o600)
    #expect(try await isRunning(in: folder, environment))
    await server.stop()
    #expect(try await isRunning(in: folder, environment) == false)
  }

  @Test func `what is no socket is left alone, by the server and by commands`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "storage/control.sock")
    try #require(chmod("\(folder.path)/storage", 0o700) == 0)
    let server = try await ServerProcess(in: folder).listening()
    try await server.logged("the owner's commands cannot reach this server")
    try await folder.run("status", status: 1, saying: "control.sock is not a socket.")
    await server.stop()
    #expect(try folder.text(of: "storage/control.sock") == "mine")
  }

  @Test(.enabled(if: geteuid() == 0)) func `a socket of another owner is refused`() async throws {
    let server = try await ServerProcess().listening()
    let socket = "\(server.folder.path)/storage/control.sock"
    try #require(chown(socket, 65_534, 65_534) == 0)
    try await server.folder.run("status", status: 1, saying: "belongs to the user nobody. Run the command as that user")
    await server.kill()
    let next = try await ServerProcess(in: server.folder).listening()
    try await next.logged("belongs to the user nobody")
  }

  @Test func `clients that send nothing, too much or no command keep nobody waiting`() async throws {
    let server = try await ServerProcess().listening()
    let socket = ControlSocket(storage: "\(server.folder.path)/storage")
    let path = socket.path
    let idle = try (0..<3).map { _ in try socket.connect() }
    let long = try #require(try socket.connect())
    try FileSystem.write([UInt8](repeating: 0x20, count: 70_000)[...], to: long, path: path)
    #expect((try? FileSystem.read(long, maxBytes: 100, path: path)) ?? [] == [])
    let wrong = try #require(try socket.connect())
    try FileSystem.write(Array("{\"fly\":{}}\n".utf8)[...], to: wrong, path: path)
    let reply = String(decoding: try FileSystem.read(wrong, maxBytes: 1000, path: path), as: UTF8.self)
    #expect(
      reply.hasPrefix("{\"status\":400,\"byteCount\":0}\n{\"status\":400,\"message\":\"This server does not know"),
      "\(reply)")
    #expect(try await isRunning(in: server.folder))
    withExtendedLifetime(idle) {}
  }

  @Test(arguments: [true, false]) func `commands at the same time are all carried out`(isRunning: Bool) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let commands = try (0..<6).map { number in
      try ServerProcess(["user", "create", "user\(number)@example.com"], in: storage.folder, input: "secret12")
    }
    for command in commands { #expect(await command.status() == 0) }
    let emails = try await storage.json(["user", "list"]).compactMap { $0["email"] as? String }
    #expect(emails == ["jane@example.com"] + (0..<6).map { "user\($0)@example.com" })
  }

  @Test func `commands outlast a server that stops and another one that starts`() async throws {
    let storage = try await OwnedStorage()
    async let stopped: Void = storage.stop()
    try await storage.folder.run("user create ada@example.com", input: "secret12")
    await stopped
    #expect(try await storage.json(["user", "list"]).count == 2)
  }

  private func isRunning(in folder: TemporaryFolder, _ environment: [String: String] = [:]) async throws -> Bool {
    let status = try await folder.run("status --json", environment: environment, status: 1)
    return try #require(status.json([String: Any].self)["running"] as? Bool)
  }
}
