import ArgumentParser
import Cryptography
import Glibc
import HTTPServer
import Logging
import SQLite
import SelfieAPI
import Workers

/// `selfie-server serve`.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM or SIGINT.")

  @OptionGroup var options: SettingsOptions

  func run() throws {
    do {
      try Self.serve(Settings(SettingSources(flags: options.given, file: options.config)))
    } catch {
      throw ExitCode.failure(error)
    }
  }

  private static func serve(_ settings: Settings) throws {
    // Before there are any threads: signals come to this one only, and no write to a closed socket ends the process.
    let signals = TerminationSignals()
    signal(SIGPIPE, SIG_IGN)
    let logger = Logger(label: "selfie-server") { _ in
      StandardErrorLog(level: settings.logLevel, format: settings.logFormat)
    }
    let storage = try Storage(path: settings.storageDir, makesFolder: !settings.storageIsChosen)
    let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
      Digest.hex(Digest.sha256($0))
    }
    let running = try RunningServer(settings: settings, storage: storage, migrations: migrations, logger: logger)
    try running.start()
    announce(settings, running, storage)
    signals.wait()
    logger.info("stopping: finishing the requests under way")
    signals.exitOnNext()
    running.stop()
  }

  private static func announce(_ settings: Settings, _ running: RunningServer, _ storage: Storage) {
    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    let address = "http://\(host):\(running.port)"
    var text = "Listening on \(address)\n"
    if running.credentials.isNew || isatty(STDOUT_FILENO) != 0 {
      text += """

        Paste into the app's HTTPHelper.swift:

          static let API_AUTH_NAME = "\(running.credentials.name)"
          static let API_AUTH_PASSWORD = "\(running.credentials.password)"
          static let BASE_URL = "\(settings.publicURL ?? address)/api"


        """
      if settings.credentials == nil { text += "They are kept in \(storage.credentialsPath).\n" }
    }
    Terminal.write(text, to: STDOUT_FILENO)
  }
}

extension ExitCode {
  /// Ends the process with status 1 and the error's own words.
  static func failure(_ error: any Error) -> ExitCode {
    Terminal.write("selfie-server: \(error)\n", to: STDERR_FILENO)
    return .failure
  }
}

/// Text for people, written at once: what reads it through a pipe must not wait for a buffer to fill.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
