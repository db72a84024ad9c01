import ArgumentParser
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SelfieServer

/// How the command line is read, and what is said about it.
@Suite(.timeLimit(.minutes(10))) struct CommandLineTests {
  @Test(arguments: [
    (["serv"], "There is no command \"selfie-server serv\". Did you mean \"selfie-server serve\"?"),
    (["sttaus"], "Did you mean \"selfie-server status\"?"),
    (["user", "lsit"], "There is no command \"selfie-server user lsit\". Did you mean \"selfie-server user list\"?"),
    (["fly"], "There is no command \"selfie-server fly\". The commands are serve, status, why, constants, owner, "),
  ])
  func `a mistyped command is told the nearest one`(_ words: [String], _ message: String) {
    #expect(SelfieServerCommand.mistake(in: words)?.contains(message) == true)
  }

  @Test(arguments: [
    (["serve", "-p", "3000"], "serve has no flag -p. Did you mean --port?"),
    (["serve", "--port", "0", "--storage", "x"], "Did you mean --storage-dir?"),
    (["--storage-dir", "backup", "serve"], "Write the command before its flags, as in selfie-server serve --help."),
    (["serve", "--ephemeral", "on"], "serve takes no argument on."),
  ])
  func `a mistyped flag of serve is told the nearest one`(_ words: [String], _ message: String) {
    #expect(Serve.mistake(in: words, commands: ["serve", "backup"])?.contains(message) == true)
  }

  @Test(arguments: [
    (["sttaus"], "Did you mean \"selfie-server status\"?"),
    (["serve", "3000"], "serve takes no argument 3000. Did you mean --port 3000? See \"selfie-server serve --help\"."),
    (["--prot", "3000"], "serve has no flag --prot. Did you mean --port?"),
  ])
  func `a mistyped command line serves nothing`(_ words: [String], _ message: String) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await ServerProcess.run(words, in: folder, hasHome: false, status: 64, saying: message)
    #expect(outcome.output.isEmpty)
    #expect(try folder.contents().isEmpty)
  }

  /// Not as a user other than root, nor as root in most containers.
  private static let canHideProc =
    (try? Program.output(of: "/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "none", "/proc"]).status) == 0

  /// Runs the program with an empty folder in place of /proc, as in a chroot.
  @Test(.enabled(if: canHideProc, "to mount takes root")) func `without proc nothing serves unasked`() async throws {
    let shell = """
      exec unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$0" "$@"
      """
    let folder = try TemporaryFolder()
    for words in [["serve"], ["user", "list"], ["user", "lsit"], ["doctor"], []] {
      let process = try ServerProcess(words, in: folder, shell: shell)
      let (status, errors) = (await process.status(), await process.errors.all().joined())
      #expect(status == 1 && errors.contains("There is no /proc here"), "\(errors)")
      #expect(await process.output.all().isEmpty)
    }
    #expect(try folder.contents().isEmpty)
  }

  @Test(
    arguments: [
      (["--tls-key", "key.pem"], "There is no flag --tls-key. Set TLS_KEY in"),
      (["serve", "--ephemeral", "--get-token=off"], "There is no flag --get-token. Set GET_TOKEN in"),
      (["encrypt", "x", "--api-auth-password", "x"], "There is no flag --api-auth-password. Set API_AUTH_PASSWORD in"),
    ])
  func `a setting without a flag is named by its variable`(_ words: [String], _ message: String) async throws {
    let folder = try TemporaryFolder()
    try await ServerProcess.run(words, in: folder, hasHome: false, status: 64, saying: message)
  }

  @Test func `settings are shown with their sources, and secrets are not`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("MAX_PHOTOS=7\nAPI_AUTH_NAME=n\nAPI_AUTH_PASSWORD=a long pass:word\n", to: "Config/server.env")
    let shown = try await folder.run("settings", environment: ["SIGNUP": "closed"]).output
    for pattern in [/^MAX_PHOTOS +7 +.*server.env/, /^SIGNUP +closed +the environment/, /^GET_TOKEN +email *$/] {
      #expect(shown.contains { $0.contains(pattern) }, "\(shown)")
    }
    #expect(!shown.contains { $0.contains("pass:word") })
    let template = try await folder.run("settings --default").output
    #expect(template.first?.hasPrefix("# Settings of selfie-server.") == true)
  }

  @Test(arguments: [("bash", "complete "), ("zsh", "#compdef selfie-server"), ("fish", "complete ")])
  func `each shell has its completions`(_ shell: String, _ line: String) async throws {
    let folder = try TemporaryFolder()
    let script = try await ServerProcess.run(["completion", shell], in: folder, hasHome: false).output
    #expect(script.contains { $0.hasPrefix(line) } && script.contains { $0.contains("public-url") })
  }

  @Test func `another shell has no completions`() async throws {
    try await ServerProcess.run(["completion", "tcsh"], hasHome: false, status: 1, saying: "bash, zsh and fish")
  }

  @Test(arguments: [
    [], ["serve"], ["--port", "3"], ["help"], ["help", "user"], ["user", "list"], ["user"], ["user", "list", "x"],
    ["backup", "serv"],
  ])
  func `what names a command is no mistake`(_ words: [String]) {
    #expect(SelfieServerCommand.mistake(in: words) == nil)
  }

  @Test func `a misspelt setting in the environment is pointed out at the start, and other variables are not`()
    async throws
  {
    let server = try await ServerProcess(environment: ["GET_TOEKN": "off", "API_AUTH_NAME_FIEL": ""]).listening()
    await server.stop()
    let warnings = await server.errors.all().filter { $0.contains("is not a setting") }
    #expect(warnings.count == 2, "\(warnings)")
    #expect(
      warnings.contains { $0.hasSuffix("GET_TOEKN in the environment is not a setting. Did you mean GET_TOKEN?") })
    #expect(warnings.contains { $0.hasSuffix("Did you mean API_AUTH_NAME_FILE?") })
    let usual = """
      HOME HOST_IP HOSTNAME PATH USER LOGNAME SHELL SHLVL PWD OLDPWD TERM COLORTERM LANG LC_ALL TZ TMPDIR EDITOR PAGER MAIL \
      DISPLAY SSH_AUTH_SOCK SUDO_USER XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS NOTIFY_SOCKET LISTEN_FDS STATE_DIRECTORY \
      CREDENTIALS_DIRECTORY POST PORTS LS_COLORS DATABASE_HOST PGHOST PGPASSWORD REDIS_URL AWS_REGION AWS_ACCESS_KEY_ID \
      AWS_SECRET_ACCESS_KEY AWS_S3_BUCKET S3_ENDPOINT_URL KUBERNETES_PORT KUBERNETES_SERVICE_HOST NODE_ENV RAILS_ENV CI \
      JAVA_HOME http_proxy no_proxy _
      """
    #expect(SettingSources.warnings(about: usual.split(separator: " ").map(String.init)) == [])
    #expect(SettingSources.warnings(about: ["get_token", "MAX_PHOTO_BYTE"]).count == 2)
  }

  private static func commands(
    _ command: any ParsableCommand.Type = SelfieServerCommand.self
  ) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { commands($0) }
  }

  @Test func `every command that does something has examples, and they name commands`() {
    for command in Self.commands() where command.configuration.subcommands.isEmpty {
      let examples = command.configuration.discussion.split(separator: "\n").filter { $0.contains("  selfie-server ") }
      #expect(!examples.isEmpty, "\(command)")
      for line in examples {
        let words = line.split(separator: " ").drop { $0 != "selfie-server" }.dropFirst().map(String.init)
        #expect(SelfieServerCommand.mistake(in: words) == nil, "\(line)")
      }
    }
  }
}
