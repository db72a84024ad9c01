/// The text of the constants that the tutorial's iOS app needs to reach this server. None of them is the server's own.
enum AppConstants {
  /// What its owner pastes into HTTPHelper.swift.
  static func text(name: String, password: String, url: String) -> String {
    """
      static let API_AUTH_NAME = "\(name)"
      static let API_AUTH_PASSWORD = "\(password)"
      static let BASE_URL = "\(url)/api"

    """
  }
}
