import Cryptography
import Glibc
import HTTPServer
import Logging
import Platform
import SelfieAPI
import SelfieOperations
import SelfieTestControl

// The messages of a start, for people. ReadyFile.swift writes the file for programs, and `LogWriter` the lines of the
// log.
extension Runtime {
  /// Logs that the server listens, and what its owner should know of its settings.
  func logStart(to logger: Logger) {
    logger.info(
      "listening", metadata: ["port": .stringConvertible(port), "get_token": "\(settings.getToken.rawValue)"])
    let warnings = settings.isEphemeral ? [] : settings.sources.warnings
    for warning in SettingSources.warnings(about: SettingSources.environmentNames) + warnings {
      logger.warning("\(warning)")
    }
    if settings.apiAuthPasswordPrevious != nil {
      logger.notice(
        """
        API_AUTH_PASSWORD_PREVIOUS is still valid: anyone who has it can do what apps can. Remove it once every app \
        has the new password.
        """)
    }
    if settings.signup == .closed {
      logger.notice("SIGNUP is closed: only the owner can create accounts, with selfie-server user create")
    }
    if settings.getToken == .email, !settings.isLocal {
      logger.notice(
        """
        get_token gives a token to anyone who knows a user's email address and the API password, which is in every \
        copy of the app. To require the user's password too, set GET_TOKEN=password; to switch get_token off, set \
        GET_TOKEN=off.
        """)
    }
    if let cluster = settings.cluster {
      logger.info("accounts are in PostgreSQL, and photos in an object store", metadata: ["photos": "\(cluster)"])
    }
    control?.log(to: logger)
  }

  /// Prints where the server listens and where to look, and the credentials that are new, public or that a terminal may
  /// show.
  func announce() {
    let address = settings.ownerURL(port: port, certificate: certificate?.first.certificate)
    let isCheckout = access(settings.sources.path("bin/owner"), X_OK) == 0
    let places: [(String, String?)] = [
      ("The app", "\(settings.clientURL(port: port))/api"), ("Try it", settings.homePage ? "\(address)/" : nil),
      ("Owner's page", settings.isEphemeral ? nil : isCheckout ? "bin/owner" : "selfie-server owner"),
      ("Inspector", control.map { _ in "\(address)/__admin/" }),
    ]
    var text = "Listening on \(settings.url(host: settings.host, port: port))\n\n"
    for case (let name, let place?) in places {
      text += "  \(name)\(String(repeating: " ", count: 14 - name.count))\(place)\n"
    }
    if key.isNew || key.credentials == .forTests || isatty(STDOUT_FILENO) != 0 {
      let constants = appConstants(
        name: key.credentials.name, password: key.credentials.password, url: settings.clientURL(port: port))
      text += "\nPaste into the app's HTTPHelper.swift:\n\n\(constants)"
      if let file = key.file { text += "\nThe credentials are stored in \(file).\n" }
    }
    Terminal.write(text, to: STDOUT_FILENO)
    control?.announce()
  }
}

extension Control {
  fileprivate func log(to logger: Logger) {
    if !isEphemeral, let weakness = credentials.weakness {
      logger.warning(
        """
        CONTROL_PASSWORD \(weakness), so it can be guessed. Set a long random one, or remove both CONTROL_NAME and \
        CONTROL_PASSWORD, and the server generates them.
        """)
    }
    if isEphemeral {
      logger.notice(
        "no data is kept: the storage is never synced to a disk, and is removed when the server stops",
        metadata: ["folder": "\(folder.path)"])
    }
    if let random {
      logger.warning("ids and tokens are made from --random \(random), so that anyone can compute them")
    }
    logger.notice("the control interface is on: anyone who may use /__admin/ can change everything")
  }

  /// Shows the credentials of the control interface. Those that the owner chose are shown to the owner only.
  fileprivate func announce() {
    guard areNew || isatty(STDOUT_FILENO) != 0 else { return }
    let text = """

      The inspector and the control interface, /__admin/, ask for:

        CONTROL_NAME=\(credentials.name)
        CONTROL_PASSWORD=\(credentials.password)


      """
    Terminal.write(text, to: STDOUT_FILENO)
  }
}
