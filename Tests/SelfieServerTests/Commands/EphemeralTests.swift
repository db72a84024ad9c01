import Foundation
import FoundationNetworking
import Glibc
import SelfieTestControl
import TestSupport
import Testing

/// selfie-server serve --ephemeral.
@Suite(.timeLimit(.minutes(10))) struct EphemeralTests {
  /// What a program that has started the server knows of it.
  private struct Facts: Decodable {
    let url: String
    let port: Int
    let pid: Int32
    let api_auth_name: String
    let api_auth_password: String
    let control_name: String?
    let control_password: String?

    var helper: HTTPHelper {
      HTTPHelper(apiAuthName: api_auth_name, apiAuthPassword: api_auth_password, baseURL: "\(url)/api")
    }
  }

  private static let arguments = ["serve", "--ephemeral", "--ready-file", "ready.json"]

  private func facts(_ server: ServerProcess, in folder: TemporaryFolder) async throws -> Facts {
    _ = try await server.port()
    // The file comes just before that line's end, or just after.
    try await waitUntil { folder.exists("ready.json") }
    return try JSONDecoder().decode(Facts.self, from: Data(folder.text(of: "ready.json").utf8))
  }

  private func memoryFolders(of pid: Int32) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: EphemeralFolder.place)
      .filter { $0.hasPrefix("selfie-server-ephemeral-\(pid)-") }
  }

  @Test func `nothing is left of it, and nothing is made where it was started`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(Self.arguments, in: folder)
    let facts = try await facts(server, in: folder)
    #expect(facts.port == (try await server.port()))
    #expect(facts.pid == server.pid)
    #expect(facts.api_auth_name == TestCredentials.name && facts.api_auth_password == TestCredentials.password)
    #expect(try folder.permissions(of: "ready.json") == 0o600)

    let app = TutorialApp(helper: facts.helper)
    try await app.makeSignUpRequest(name: "Jane Doe", email: "jane@example.com", password: "secret12")
    try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    _ = try await app.postBtnTapped(image: PNG.random(width: 300, height: 300), title: "one")
    #expect(try folder.contents() == ["ready.json"])
    #expect(try memoryFolders(of: server.pid).count == 1)
    await server.stop()
    #expect(try folder.contents().isEmpty)
    #expect(try memoryFolders(of: server.pid).isEmpty)
    #expect(await server.errors.all().contains { $0.contains("never synced to a disk") })
  }

  @Test func `what one leaves behind that was killed, the next one removes`() async throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(Self.arguments, in: folder)
    _ = try await first.port()
    #expect(try memoryFolders(of: first.pid).count == 1)
    first.signal(SIGKILL)
    _ = await first.status()
    let second = try ServerProcess(Self.arguments, in: folder)
    _ = try await second.port()
    // A server of another test, which starts at this moment, may be the one that removes it.
    try await waitUntil { try memoryFolders(of: first.pid).isEmpty }
    await second.stop()
  }

  @Test func `credentials that are given are used, also where the environment asks for it`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(
      ["serve", "--ready-file", "ready.json"],
      environment: ["EPHEMERAL": "on", "API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "pass:word"], in: folder)
    let facts = try await facts(server, in: folder)
    #expect(facts.api_auth_name == "name" && facts.api_auth_password == "pass:word")
    let app = TutorialApp(helper: facts.helper)
    try await app.makeSignUpRequest(name: "Jane Doe", email: "jane@example.com", password: "secret12")
    await server.stop()
  }

  @Test func `with --exit-with-parent it ends when the process does that has started it`() async throws {
    let folder = try TemporaryFolder()
    // A shell starts the server, says who it is, and is killed.
    let shell = try ServerProcess(
      Self.arguments + ["--exit-with-parent"], in: folder,
      shell: #"s="$0"; "$s" "$@" & while [ ! -e ready.json ]; do sleep 0.01; done; kill -9 $$; set -- --version"#)
    #expect(await shell.status() == -SIGKILL)
    // Its outputs end when the server has ended, too.
    #expect(await shell.errors.all().contains { $0.contains("stopped") })
    #expect(try folder.contents().isEmpty)
  }

  @Test func `with --exit-with-parent it does not start for a parent that has ended already`() async throws {
    let folder = try TemporaryFolder()
    let ended = try ServerProcess(["--version"], in: folder)
    _ = await ended.status()
    let outcome = try await ServerProcess.run(
      Self.arguments + ["--exit-with-parent", "--parent-pid", "\(ended.pid)"], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("the parent process cannot be watched: No such process"))
    #expect(try folder.contents().isEmpty)
  }

  @Test func `a ready file that was left behind is not taken for this server's`() async throws {
    let folder = try TemporaryFolder()
    try "{}".write(toFile: "\(folder.path)/ready.json", atomically: true, encoding: .utf8)
    let failed = try await ServerProcess.run(Self.arguments, environment: ["HOST": "192.0.2.1"], in: folder)
    #expect(failed.status == 1)
    #expect(try folder.contents().isEmpty)
  }

  @Test func `a server that listens everywhere names an address that can be asked`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(Self.arguments + ["--host", "0.0.0.0"], in: folder)
    let facts = try await facts(server, in: folder)
    #expect(facts.url == "http://127.0.0.1:\(facts.port)")
    await server.stop()
  }

  @Test func `a place to store and nothing to store is a contradiction`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await ServerProcess.run(["serve", "--ephemeral", "--storage-dir", "storage"], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("Give one of them."))
    #expect(try folder.contents().isEmpty)
  }

  @Test func `without being asked for there is no control interface`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(in: folder)
    let helper = HTTPHelper(
      apiAuthName: "", apiAuthPassword: "", baseURL: "http://127.0.0.1:\(try await server.port())")
    #expect(try await helper.download("\(helper.baseURL)/__admin/").status == 404)
    await server.stop()
  }

  /// The status of a request to the control interface with the credentials of HTTP Basic.
  private func status(_ port: Int, _ name: String?, _ password: String?, fields: [String] = []) async throws -> Int {
    let basic = name.map { "Authorization: Basic \(Data("\($0):\(password ?? "")".utf8).base64EncodedString())" }
    let lines = ["GET /__admin/ HTTP/1.1", "Host: 127.0.0.1:\(port)"] + [basic].compactMap(\.self) + fields
    let client = try await RawClient.connect(to: port)
    try await client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    return try await client.response().status
  }

  @Test func `with --control it has one, which asks for credentials, and keeps what is stored`() async throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(["serve", "--control", "--ready-file", "ready.json"], in: folder)
    _ = try await first.appOfNewUser()
    let facts = try await facts(first, in: folder)
    let (name, password) = (try #require(facts.control_name), try #require(facts.control_password))
    #expect(name.count == 16 && password.count == 64)
    #expect(try await status(facts.port, nil, nil) == 401)
    #expect(try await status(facts.port, facts.api_auth_name, facts.api_auth_password) == 401)
    #expect(try await status(facts.port, name, password) == 200)
    await first.stop()
    let output = await first.output.all()
    #expect(output.contains("  CONTROL_NAME=\(name)") && output.contains("  CONTROL_PASSWORD=\(password)"))
    #expect(await first.errors.all().allSatisfy { !$0.contains(name) && !$0.contains(password) })
    let second = try ServerProcess(["serve"], in: folder)
    let again = try await second.app()
    try await again.makeSignInRequest(email: "jane@example.com", password: "secret12")
    await second.stop()
  }

  @Test(arguments: [[], ["--control-password", "pass:word"]])
  func `the credentials of the control interface can be chosen, and are not shown then`(flags: [String]) async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(
      ["serve", "--ready-file", "ready.json"] + flags,
      environment: ["CONTROL": "on", "CONTROL_NAME": "me", "CONTROL_PASSWORD": flags.isEmpty ? "pass:word" : "other"],
      in: folder)
    let facts = try await facts(server, in: folder)
    #expect(facts.control_name == "me" && facts.control_password == "pass:word")
    #expect(try await status(facts.port, nil, nil) == 401)
    #expect(try await status(facts.port, "me", "pass:word") == 200)
    await server.stop()
    #expect(await server.output.all().allSatisfy { !$0.contains("CONTROL_PASSWORD") })
    #expect(await server.errors.all().contains { $0.contains("CONTROL_PASSWORD is shorter than 16 bytes") })
  }

  @Test func `an ephemeral server asks those whose requests were forwarded`() async throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(Self.arguments, in: folder)
    let facts = try await facts(server, in: folder)
    #expect(try await status(facts.port, nil, nil) == 200)
    #expect(try await status(facts.port, nil, nil, fields: ["X-Forwarded-Proto: https"]) == 401)
    #expect(
      try await status(facts.port, facts.control_name, facts.control_password, fields: ["Via: 1.1 proxy"]) == 200)
    await server.stop()
  }

  @Test func `files that a request may name are below the folder of --seed-folder`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("GIF89a", to: "seeds/a.gif")
    let missing = try await ServerProcess.run(["serve", "--ephemeral", "--seed-folder", "nowhere"], in: folder)
    #expect(missing.status == 1)
    #expect(missing.message.contains("--seed-folder is nowhere, and there is no such folder."))
    let needless = try await ServerProcess.run(["serve", "--seed-folder", "seeds"], in: folder)
    #expect(needless.status == 1)
    #expect(needless.message.contains("Give --control as well."))
    let server = try ServerProcess(Self.arguments + ["--seed-folder", "seeds"], in: folder)
    let facts = try await facts(server, in: folder)
    let hash = "$2b$04$" + String(repeating: "a", count: 21) + "." + String(repeating: "a", count: 31)
    let id = String(repeating: "g", count: 41)
    let state = """
      {"users":[{"id":7,"email":"a@b.c","password_hash":"\(hash)"}],
       "photos":[{"user_id":7,"random_id":"\(id)","path":"a.gif"}]}
      """
    var request = URLRequest(url: try #require(URL(string: "\(facts.url)/__admin/state")))
    request.httpMethod = "POST"
    request.httpBody = Data(state.utf8)
    guard case .success = await facts.helper.sendRequest(request) else {
      Issue.record("The state was not imported.")
      return
    }
    #expect(try await facts.helper.download("\(facts.url)/photos/\(id)").data == Data("GIF89a".utf8))
    await server.stop()
  }

  private static let shells = ["bash", "zsh"].filter { shell in
    ["/bin", "/usr/bin"].contains { access("\($0)/\(shell)", X_OK) == 0 }
  }

  @Test(arguments: shells) func `the client for shell scripts`(shell: String) async throws {
    let folder = try TemporaryFolder()
    let script = """
      set -eu
      . '\(checkout)/Examples/Control/control.sh'
      SELFIE_SERVER="$1"
      selfie_start
      selfie seed '{"users":[{"email":"ada@example.com","tokens":["ada-token"]}]}'
      selfie clock '{"advance":"25h"}'
      curl -s -H 'Authorization: Token token=ada-token' "$SELFIE_URL/api/get_photos"
      selfie requests/verify '{"method":"GET","path":"/api/get_photos","status":401,"exactly":1}'
      SELFIE_WORLD=other selfie requests/count '{}'
      selfie_request worlds -H 'Via: 1.1 proxy'
      selfie_request faults -X DELETE
      if selfie clock '{"advance":"a while"}'; then exit 3; fi
      selfie_stop
      """
    try script.write(toFile: "\(folder.path)/script", atomically: true, encoding: .utf8)
    let outcome = try await ServerProcess.run([], in: folder, shell: "exec \(shell) script \"$0\"")
    #expect(outcome.status == 0, "\(outcome)")
    let output = outcome.output.joined()
    for part in [
      #""email":"ada@example.com""#, "Authtoken has expired", #""matched":1"#, #""matched":0"#, "must be a duration",
    ] {
      #expect(output.contains(part), "\(part): \(output)")
    }
    #expect(try folder.contents() == ["script"])
  }

  @Test(arguments: [
    "bash -c '. \(checkout)/Examples/Control/control.sh; SELFIE_SERVER=\"$0\" selfie_start --port none' \"$0\"",
    """
    env PYTHONPATH='\(checkout)/Examples/Control' python3 -B -c \
      'import sys, selfie_control; selfie_control.SelfieServer.start(sys.argv[1], "--port", "none")' "$0"
    """,
  ])
  func `a client that starts it shows why it does not start`(command: String) async throws {
    let outcome = try await ServerProcess.run([], in: try TemporaryFolder(), shell: "exec \(command)")
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("PORT is \"none\". It must be a whole number"), "\(outcome)")
    #expect(outcome.message.contains("did not start"), "\(outcome)")
  }
}
