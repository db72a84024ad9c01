import Testing

@testable import Platform

@Suite struct InstallationTests {
  @Test(
    arguments: [
      ("/home/ada/selfie/.build/release/selfie-server", "docker exec 3f9a", 1000, "ada", "bin/selfie-server"),
      ("/usr/local/bin/selfie-server", "podman exec 3f9a", 10001, nil, "podman exec 3f9a selfie-server"),
      ("/usr/bin/selfie-server", nil, 997, "selfie-server", "sudo -u selfie-server selfie-server"),
      ("/usr/bin/selfie-server", nil, 1000, "ada", "selfie-server"), ("selfie-server", nil, 0, "root", "selfie-server"),
    ] as [(String, String?, UInt32, String?, String)])
  func `a command begins as the server was installed`(
    program: String, container: String?, user: UInt32, name: String?, command: String
  ) {
    #expect(Installation.words(of: program, in: container, as: user, named: name) == command)
  }

  @Test(arguments: [
    ("bin/selfie-server", "bin/serve"), ("sudo -u selfie-server selfie-server", "sudo systemctl start selfie-server"),
    ("podman exec 3f9a selfie-server", "podman start 3f9a"), ("selfie-server", "selfie-server serve"),
  ])
  func `the command that starts the server is for the installation, too`(command: String, start: String) {
    #expect(Installation.start(by: command) == start)
  }

  @Test func `a command for a stopped server stops it and starts it, where that is known`() {
    let words = "restore --photo x \("/my backups".shellWord)"
    for (command, line) in [
      ("bin/selfie-server", "bin/selfie-server restore --photo x '/my backups'"),
      (
        "sudo -u selfie-server selfie-server",
        "sudo systemctl stop selfie-server && sudo -u selfie-server selfie-server restore --photo x '/my backups'"
          + " && sudo systemctl start selfie-server"
      ),
      (
        "docker exec 3f9a selfie-server",
        "docker stop 3f9a && docker run --rm --volumes-from 3f9a selfie-server restore --photo x '/my backups'"
          + " && docker start 3f9a"
      ),
    ] { #expect(Installation.commandWhileStopped(words, by: command) == line) }
    #expect("/backups/a-1".shellWord == "/backups/a-1" && "it's".shellWord == "'it'\\''s'" && "".shellWord == "''")
  }
}
