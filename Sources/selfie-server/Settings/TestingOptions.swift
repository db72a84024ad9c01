import ArgumentParser
import CLinux
import Glibc
import SelfieAPI
import SelfieControl
import Platform

/// The flags for those who test with the server.
struct TestingOptions: ParsableArguments {
  @Flag(help: "For tests: keep nothing, on a free port, with the control interface.")
  var ephemeral = false

  @Flag(help: "For tests: the control interface under /__admin/.")
  var control = false

  @Option(help: "A file that says, once the server listens, where, and what a client must know.")
  var readyFile: String?

  @Flag(help: "End with the process that has started this one.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: that process, should it have ended before this one looks.")
  var parentPid: Int32?

  /// What was given, by the names that the environment uses.
  var given: [Setting: String] {
    [.ephemeral: ephemeral, .control: control].filter(\.value).mapValues { _ in "on" }
  }
}

/// What the control interface needs.
struct Control {
  /// Whether nothing is to be left of what is stored.
  let isEphemeral: Bool
  /// Where worlds are that nothing is to be left of.
  let folder: EphemeralFolder

  /// Nil when nobody asks for it.
  init?(_ settings: Settings) throws(EphemeralFolderError) {
    guard settings.hasControl else { return nil }
    isEphemeral = settings.isEphemeral
    folder = try EphemeralFolder()
  }
}

/// Where the server is, told to a program.
struct ReadyFile {
  let path: String

  /// What another server has left there would be taken for this one's.
  func clear() {
    unlink(path)
  }

  /// Writes the file; there is always either nothing or the whole of it.
  ///
  /// - Parameter host: where the server listens; its own machine is told one address of several.
  func write(host: String, port: Int, _ credentials: Credentials) throws(ConfigurationError) {
    let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
    let json = WireJSON.object { json in
      json.member("url", Serve.address(host, port))
      json.member("port", Int64(port))
      json.member("pid", Int64(getpid()))
      json.member("api_auth_name", credentials.name)
      json.member("api_auth_password", credentials.password)
    }
    do {
      try TextFile.create(path, String(decoding: json, as: UTF8.self) + "\n")
    } catch {
      throw ConfigurationError(problems: ["--ready-file: \(path) cannot be written: \(error)."])
    }
  }

  /// Removes it, unless it is another server's by now.
  func remove() {
    guard let text = try? TextFile.read(path), text.contains("\"pid\":\(getpid()),") else { return }
    unlink(path)
  }
}

/// The process that has started this one.
enum Parent {
  /// Asks this process to end, as SIGTERM does, as soon as the parent has ended, however it did.
  ///
  /// A descriptor of the process tells it (pidfd_open(2)). The signal that prctl(2) can ask for comes too early for a
  /// parent with threads: when the one ends that has started this process.
  ///
  /// - Parameter pid: the parent as it knows itself: one that has ended already cannot be told from the one that the
  ///   system has put in its place.
  static func endWithIt(pid: pid_t?) throws(ConfigurationError) {
    let descriptor = clinux_pidfd_open(pid ?? getppid())
    guard descriptor >= 0 else {
      throw ConfigurationError(problems: [
        "--exit-with-parent: the parent process cannot be watched: \(String(cString: strerror(errno)))."
      ])
    }
    let thread = try? Thread(named: "parent") {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&watched, 1, -1) < 0 && errno == EINTR {}
      kill(getpid(), SIGTERM)
    }
    guard thread != nil else {
      throw ConfigurationError(problems: ["--exit-with-parent: there is no thread to watch the parent process."])
    }
  }
}
