import ArgumentParser

/// `selfie-server completion`: prints the script that ArgumentParser makes. `SelfieServerCommand` lists the commands
/// that it completes.
struct CompletionCommand: Command {
  static let configuration = CommandConfiguration(
    "completion", "Print the completions for bash, zsh or fish.",
    discussion: """
      For bash, source them in ~/.bashrc; for zsh, save them as _selfie-server in a folder of fpath; for fish, save them \
      as ~/.config/fish/completions/selfie-server.fish. The Debian package has them all.
      """, examples: "completion bash > ~/.selfie-server.bash")

  @Argument(help: "The shell: bash, zsh or fish.") var shell: String

  func execute() throws {
    guard let shell = CompletionShell(rawValue: shell) else {
      throw ValidationError("There are completions for bash, zsh and fish, but not for \"\(shell)\".")
    }
    print(SelfieServerCommand.completionScript(for: shell))
  }
}
