import Foundation
import Glibc
import SelfieTestControl
import SelfieTestDocuments
import TestSupport
import Testing

/// selfie-server serve --ephemeral.
@Suite(.timeLimit(.minutes(10))) struct EphemeralTests {
  /// The ready file, for the program that has started the server.
  private struct Facts: Decodable {
    let url: String
    let port: Int
    let pid: Int32
    let api_auth_name: String
    let api_auth_password: String
    let control_name: String?
    let control_password: String?
    let control_url: String?

    var app: TutorialApp { TutorialApp(url, name: api_auth_name, password: api_auth_password) }
  }

  private static let arguments = ["serve", "--ephemeral", "--ready-file", "ready.json"]

  private func facts(_ server: ServerProcess) async throws -> Facts {
    _ = try await server.port()
    // The file comes just before that line's end, or just after.
    try await waitUntil { server.folder.exists("ready.json") }
    return try JSONDecoder().decode(Facts.self, from: Data(server.folder.text(of: "ready.json").utf8))
  }

  private func memoryFolders(of pid: Int32) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: EphemeralFolder.place)
      .filter { $0.hasPrefix("selfie-server-ephemeral-\(pid)-") }
  }

  /// The status of a request to the control interface with the credentials of HTTP Basic.
  private func status(
    _ server: ServerProcess, _ name: String? = nil, _ password: String? = nil, fields: [String] = []
  ) async throws -> Int {
    let basic = name.map { "Authorization: Basic \(Data("\($0):\(password ?? "")".utf8).base64EncodedString())" }
    let host = "Host: 127.0.0.1:\(try await server.port())"
    return try await server.response(to: "GET /__admin/", [host] + [basic].compactMap(\.self) + fields).status
  }

  @Test func `nothing is left of it, and nothing is made where it was started`() async throws {
    let server = try ServerProcess(Self.arguments)
    let (folder, facts) = (server.folder, try await facts(server))
    #expect(facts.port == (try await server.port()))
    #expect(facts.pid == server.pid)
    #expect(facts.api_auth_name == TestCredentials.name && facts.api_auth_password == TestCredentials.password)
    #expect(try folder.permissions(of: "ready.json") == 0o600)

    let app = facts.app
    try await app.makeUser()
    try await app.postBtnTapped()
    // It asks those whose requests were forwarded.
    #expect(try await status(server) == 200)
    #expect(try await status(server, fields: ["X-Forwarded-Proto: https"]) == 401)
    #expect(try await status(server, facts.control_name, facts.control_password, fields: ["Via: 1.1 proxy"]) == 200)
    #expect(try folder.contents() == ["ready.json"])
    #expect(try memoryFolders(of: server.pid).count == 1)
    await server.stop()
    #expect(try folder.contents().isEmpty)
    #expect(try memoryFolders(of: server.pid).isEmpty)
    #expect(await server.errors.all().contains { $0.contains("never synced to a disk") })
    let output = await server.output.all()
    #expect(output.contains("  CONTROL_PASSWORD=\(facts.control_password ?? "")"))
    #expect(!zip(output, output.dropFirst()).contains { $0.isEmpty && $1.isEmpty }, "\(output)")
  }

  @Test func `the owner's command prints a link to its inspector, and why says what it has refused`() async throws {
    let server = try ServerProcess(Self.arguments)
    let port = try await server.port()
    let options = "--storage-dir \(try server.ephemeralFolder())"
    let link = try #require(try await server.folder.run("owner \(options)").output.first)
    #expect(link.hasPrefix("http://localhost:\(port)/owner#"))
    let secret = try #require(link.split(separator: "#").last)
    let own = ["Host: localhost:\(port)", "Origin: http://localhost:\(port)", "X-Owner-Page: 1"]
    let opened = try await server.response(to: "POST /owner/session", own, body: #"{"link":"\#(secret)"}"#)
    #expect(opened["set-cookie"]?.contains("; Path=/__admin;") == true, "\(opened)")
    #expect(try await server.response(to: "GET /api/photos").status == 404)
    let refusals = try await server.folder.run("why --json \(options)").json()
    #expect(refusals.map { $0["status"] as? Int } == [404], "\(refusals)")
    // No other command takes a test server for the storage that is not here.
    try await server.folder.run("user list", status: 1, saying: "There is no storage in ./storage.")
  }

  @Test func `what one leaves behind that was killed, the next one removes`() async throws {
    let first = try await ServerProcess(Self.arguments).listening()
    #expect(try memoryFolders(of: first.pid).count == 1)
    await first.kill()
    let second = try await ServerProcess(Self.arguments, in: first.folder).listening()
    // A server of another test, which starts at this moment, may be the one that removes it.
    try await waitUntil { try memoryFolders(of: first.pid).isEmpty }
    await second.stop()
  }

  @Test func `credentials that are given are used, also where the environment asks for it, by an address for clients`()
    async throws
  {
    let server = try ServerProcess(
      ["serve", "--ready-file", "ready.json", "--host", "0.0.0.0"],
      environment: ["EPHEMERAL": "on", "API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "pass:word"])
    let facts = try await facts(server)
    #expect(facts.api_auth_name == "name" && facts.api_auth_password == "pass:word")
    #expect(facts.url == "http://127.0.0.1:\(facts.port)")
    try await facts.app.makeSignUpRequest()
  }

  @Test func `it begins with --seed, and its data is written by --export, which is a seed again`() async throws {
    let folder = try TemporaryFolder()
    let seed =
      #"{"users":[{"email":"ada@example.com","tokens":["ada-token"],"photos":[{"title":"Me"}]}],"clock":{"freeze":"2030-01-01T00:00:00Z"}}"#
    try folder.write(seed, to: "seed.json")
    var (file, exports) = ("seed.json", [String]())
    for _ in 0..<2 {
      let server = try await ServerProcess(
        Self.arguments + ["--seed", file, "--export", "export.json"], in: folder
      ).listening()
      let photos = try await server.response(
        to: "GET /api/get_photos", ["Host: a", "Authorization: Token token=ada-token"])
      #expect(photos.status == 200 && photos.text.contains(#""title":"Me""#))
      await server.stop()
      exports.append(try folder.text(of: "export.json"))
      try folder.write(exports[0], to: "again.json")
      file = "again.json"
    }
    #expect(exports[0].contains("ada@example.com") && exports[0].contains(#""freeze":"2030-01-01T00:00:00.000Z""#))
    #expect(exports[0] == exports[1])
  }

  @Test(arguments: [
    (["--seed", "none.json"], "--seed: There is no file none.json."),
    (["--seed", "wrong.json"], "--seed: wrong.json: There is no user here."),
    (["--seed", "broken.json"], "--seed: broken.json: "),
  ])
  func `a seed that cannot be stored is an error`(arguments: [String], message: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"user":[]}"#, to: "wrong.json")
    try folder.write("{", to: "broken.json")
    let server = try ServerProcess(Self.arguments + arguments, in: folder)
    #expect(await server.status() != 0)
    #expect(await server.errors.all().joined(separator: "\n").contains(message))
  }

  @Test(arguments: [
    (["--random", "42"], "--random makes tokens that anyone can compute, so it requires --ephemeral"),
    (["--seed", "seed.json"], "--seed requires --ephemeral"),
    (["--export", "export.json"], "--export requires --ephemeral"),
  ])
  func `a server that keeps data has no seeds`(arguments: [String], message: String) async throws {
    let server = try ServerProcess(["serve", "--control"] + arguments)
    #expect(await server.status() != 0)
    #expect(await server.errors.all().joined(separator: "\n").contains(message))
  }

  @Test func `the control interface may have an address of its own, which refused connections do not touch`()
    async throws
  {
    for address in [nil, "127.0.0.1:0"] {
      let names = ["CONTROL_NAME": "c", "CONTROL_PASSWORD": "p", "CONTROL_ADDRESS": address].compactMapValues(\.self)
      let server = try ServerProcess(["serve", "--control", "--ready-file", "ready.json"], environment: names)
      let facts = try await facts(server)
      let control = try #require(facts.control_url)
      #expect((control == facts.url) == (address == nil))
      let fields = [
        "Host: \(control.dropFirst("http://".count))", "Authorization: Basic \(Data("c:p".utf8).base64EncodedString())",
        "Content-Type: application/json",
      ]
      let port = try #require(Int(control.split(separator: ":").last ?? ""))
      func fault(_ body: String) async throws -> RawResponse {
        try await server.response(to: "POST /__admin/faults/connections", fields, body: body, at: port)
      }
      let refused = try await fault(#"{"fault":"refused","for":"60s"}"#)
      #expect(refused.status == (address == nil ? 409 : 200), "\(refused)")
      if address != nil {
        await #expect(throws: (any Error).self) { try await server.response(to: "GET /up", ["Host: localhost"]) }
        #expect(try await fault(#"{"fault":"refused","for":"0s"}"#).status == 200)
      }
      #expect(try await server.response(to: "GET /up", ["Host: localhost"]).status == 200)
      await server.stop()
    }
  }

  @Test func `with --exit-with-parent it ends when the process does that has started it`() async throws {
    // A shell starts the server, says who it is, and is killed.
    let shell = try ServerProcess(
      Self.arguments + ["--exit-with-parent"],
      shell: #"s="$0"; "$s" "$@" & while [ ! -e ready.json ]; do sleep 0.01; done; kill -9 $$; set -- --version"#)
    #expect(await shell.status() == -SIGKILL)
    // Its outputs end when the server has ended, too.
    #expect(await shell.errors.all().contains { $0.contains("stopped") })
    #expect(try shell.folder.contents().isEmpty)
  }

  @Test func `a server goes on whose ready file is removed with its folder as soon as it is there`() async throws {
    for _ in 0..<3 {
      let server = try ServerProcess(
        ["serve", "--ephemeral", "--ready-file", "ready/ready.json"],
        shell: #"mkdir ready; (while [ ! -e ready/ready.json ]; do :; done; rm -r ready) & true"#)
      _ = try await server.port()
      try await waitUntil { !server.folder.exists("ready") }
      #expect(try await status(server) == 200)
      await server.stop()
    }
  }

  @Test func `one that does not start leaves nothing`() async throws {
    let folder = try TemporaryFolder()
    let ended = try ServerProcess(["--version"], in: folder)
    _ = await ended.status()
    for (arguments, message) in [
      (
        ["--exit-with-parent", "--parent-pid", "\(ended.pid)"],
        "the parent process cannot be watched: No such process"
      ),
      (["--host", "192.0.2.1"], "192.0.2.1"), (["--storage-dir", "storage"], "Pass only one of them."),
    ] {
      // A ready file that was left behind is not taken for this server's.
      if message == "192.0.2.1" { try folder.write("{}", to: "ready.json") }
      try await ServerProcess.run(Self.arguments + arguments, in: folder, status: 1, saying: message)
      #expect(try folder.contents().isEmpty)
    }
  }

  @Test func `with --control it has one, which asks for credentials, and keeps what is stored`() async throws {
    let first = try ServerProcess(["serve", "--control", "--ready-file", "ready.json"])
    _ = try await first.appOfNewUser()
    let facts = try await facts(first)
    let (name, password) = (try #require(facts.control_name), try #require(facts.control_password))
    #expect(name.count == 16 && password.count == 64)
    #expect(try await status(first) == 401)
    #expect(try await status(first, facts.api_auth_name, facts.api_auth_password) == 401)
    #expect(try await status(first, name, password) == 200)
    await first.stop()
    let output = await first.output.all()
    #expect(output.contains { $0.hasPrefix("  Inspector     http://localhost:") && $0.hasSuffix("/__admin/") })
    #expect(output.contains("  CONTROL_NAME=\(name)") && output.contains("  CONTROL_PASSWORD=\(password)"))
    #expect(await first.errors.all().allSatisfy { !$0.contains(name) && !$0.contains(password) })
    let second = try ServerProcess(in: first.folder)
    try await second.app().makeSignInRequest()
    // Without being asked for there is none.
    #expect(try await status(second, name, password) == 404)
  }

  @Test func `the credentials of the control interface can be chosen, and are not shown then`() async throws {
    let server = try ServerProcess(
      ["serve", "--ready-file", "ready.json"],
      environment: ["CONTROL": "on", "CONTROL_NAME": "me", "CONTROL_PASSWORD": "pass:word"])
    let facts = try await facts(server)
    #expect(facts.control_name == "me" && facts.control_password == "pass:word")
    #expect(try await status(server) == 401)
    #expect(try await status(server, "me", "pass:word") == 200)
    await server.stop()
    #expect(await server.output.all().allSatisfy { !$0.contains("CONTROL_PASSWORD") })
    #expect(await server.errors.all().contains { $0.contains("CONTROL_PASSWORD is shorter than 16 bytes") })
  }

  private static let shells = ["bash", "dash", "zsh"].filter { shell in
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
      export http_proxy=http://127.0.0.1:9
      selfie requests/verify '{"method":"GET","path":"/api/get_photos","status":401,"exactly":1}'
      SELFIE_WORLD=other selfie requests/count '{}'
      selfie_request worlds -H 'Via: 1.1 proxy'
      selfie_request faults -X DELETE
      if selfie clock '{"advance":"a while"}'; then exit 3; fi
      if selfie requests/verify '{"path":"/api/get_photos","status":200,"exactly":1}'; then exit 3; fi
      selfie_stop
      """
    try folder.write(script, to: "script")
    let outcome = try await folder.shell("\(shell) script \"$0\"")
    let output = outcome.output.joined()
    for part in [#""email":"ada@example.com""#, "Authtoken has expired", #""matched":1"#, #""matched":0"#] {
      #expect(output.contains(part), "\(part): \(output)")
    }
    for part in [
      #"advance must be a duration such as "250ms""#,
      """
      Expected exactly 1 request to /api/get_photos with status 200, but there was none.
      The nearest is:
        #1 GET /api/get_photos -> 401 "Authtoken has expired. Please get a new token and try again!": the status is 401
      """,
    ] {
      #expect(outcome.message.contains(part), "\(part): \(outcome)")
    }
    #expect(try folder.contents() == ["script"])
  }

  @Test(arguments: shells) func `the client for shell scripts starts a container, which ends with the script`(
    shell: String
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      set -eu
      . '\(checkout)/Examples/Control/control.sh'
      SELFIE_IMAGE="$1" SELFIE_DOCKER='\(checkout)/Tests/Control/docker'
      selfie_start TOKEN_LIFETIME=1m
      first="$SELFIE_URL"
      selfie seed '{"users":[{"email":"ada@example.com"}]}' >/dev/null
      selfie_request clock -H 'Via: 1.1 proxy' >/dev/null
      selfie_stop
      if selfie clock 2>/dev/null; then exit 3; fi
      selfie_start
      [ "$SELFIE_URL" != "$first" ]
      echo "$SELFIE_URL"
      """, to: "script")
    let url = try #require(try await folder.shell("\(shell) script \"$0\"").output.last)
    // No connection is made any more.
    try await waitUntil {
      try await folder.shell("sh -c \"curl --silent --noproxy '*' --output up \(url)/up; echo \\$?\"").output == ["7"]
    }
    let failure = try await folder.shell(
      "\(shell) -c 'SELFIE_IMAGE=none; SELFIE_DOCKER=false; . \(checkout)/Examples/Control/control.sh; selfie_start'",
      status: 1)
    #expect(failure.message.contains("none did not start"), "\(failure)")
  }

  @Test(arguments: [
    "bash -c '. \(checkout)/Examples/Control/control.sh; SELFIE_SERVER=\"$0\" selfie_start PORT=none' \"$0\"",
    """
    env PYTHONPATH='\(checkout)/Examples/Control' python3 -B -c \
      'import sys, selfie_control; selfie_control.SelfieServer.start(sys.argv[1], "--port", "none")' "$0"
    """,
  ])
  func `a client that starts it shows why it does not start`(command: String) async throws {
    let outcome = try await TemporaryFolder().shell(command, status: 1)
    #expect(outcome.message.contains("PORT is \"none\". It must be a whole number"), "\(outcome)")
    #expect(outcome.message.contains("did not start"), "\(outcome)")
  }
}
