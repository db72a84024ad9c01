/// The constants of the tutorial's app.
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
