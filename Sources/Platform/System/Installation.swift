package import Glibc

/// The words with which the owner of this machine runs a command of the server, or starts it. `SelfieServerCommand` in
/// SelfieServer lists the commands.
package enum Installation {
  /// What stands before the words of a command, such as `sudo -u selfie-server selfie-server`.
  package static let command: String = {
    let tool = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")].first { access($0.0, F_OK) == 0 }?.1
    // The id of a container, unless its host was given a name.
    let host = getenv("HOSTNAME").map { String(cString: $0) } ?? "CONTAINER"
    let name = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    return words(
      of: CommandLine.arguments.first ?? "", in: tool.map { "\($0) exec \(host)" }, as: geteuid(), named: name)
  }()

  /// The command that starts the server.
  package static let start = start(by: command)

  /// - Parameter command: what stands before the words of others.
  package static func start(by command: String) -> String {
    if command.hasPrefix("bin/") { return "bin/serve" }
    if command.hasPrefix("sudo ") { return "sudo systemctl start selfie-server" }
    let words = command.split(separator: " ")
    return words.count == 4 ? "\(words[0]) start \(words[2])" : "selfie-server serve"
  }

  /// A line for a shell that runs a command while the server is stopped, as far as it is known how to stop it.
  ///
  /// - Parameters:
  ///   - words: of the command.
  ///   - command: what stands before the words of others.
  package static func commandWhileStopped(_ words: String, by command: String = command) -> String {
    let (parts, start) = (command.split(separator: " "), start(by: command))
    if command.hasPrefix("sudo ") { return "sudo systemctl stop selfie-server && \(command) \(words) && \(start)" }
    guard parts.count == 4 else { return "\(command) \(words)" }
    let (tool, container) = (parts[0], parts[2])
    return
      "\(tool) stop \(container) && \(tool) run --rm --volumes-from \(container) selfie-server \(words) && \(start)"
  }

  /// - Parameter container: runs a command in the container of the server; nil if it is in none.
  package static func words(of program: String, in container: String?, as user: uid_t, named: String?) -> String {
    if program.contains("/.build/") { return "bin/selfie-server" }
    if let container { return "\(container) selfie-server" }
    // Packages make such users, as whom nobody signs in.
    guard (1..<1000).contains(user), let named else { return "selfie-server" }
    return "sudo -u \(named) selfie-server"
  }
}

extension String {
  /// This text as one word of a shell's command line.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-:+,@%".utf8.contains($0) }
    return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
