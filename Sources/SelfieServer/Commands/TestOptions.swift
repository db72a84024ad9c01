import ArgumentParser
import Platform

/// The options of `serve` that only a server for tests has, which keeps nothing.
struct TestOptions: ParsableArguments {
  @Option(
    help: "With --ephemeral: store what is in this file, which is a state that --export or GET /__admin/state wrote.")
  var seed: String?

  @Option(help: "With --ephemeral: when the server stops, write what is stored to this file, as JSON.")
  var export: String?

  @Option(help: "With --ephemeral: make ids and tokens from this number, always the same ones.")
  var random: UInt64?

  /// Throws if an option is given to a server that keeps its data.
  func check(isEphemeral: Bool) throws {
    guard !isEphemeral else { return }
    if random != nil {
      throw ConfigurationError(
        "--random makes tokens that anyone can compute, so it requires --ephemeral, which keeps no data.")
    }
    if seed != nil {
      throw ConfigurationError(
        "--seed requires --ephemeral: a server that keeps its data would store it at every start.")
    }
    if export != nil {
      throw ConfigurationError("--export requires --ephemeral. To copy a server's data, use selfie-server backup.")
    }
  }
}
