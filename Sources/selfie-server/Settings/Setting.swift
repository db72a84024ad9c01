/// The settings, by the names that the environment and the configuration file use.
enum Setting: String, CaseIterable {
  case apiAuthName = "API_AUTH_NAME"
  case apiAuthPassword = "API_AUTH_PASSWORD"
  case host = "HOST"
  case port = "PORT"
  case storageDir = "STORAGE_DIR"
  case migrationsDir = "MIGRATIONS_DIR"
  case publicURL = "PUBLIC_URL"
  case getToken = "GET_TOKEN"
  case tokenLifetime = "TOKEN_LIFETIME"
  case passwordCost = "PASSWORD_COST"
  case maxPhotoBytes = "MAX_PHOTO_BYTES"
  case rateLimit = "RATE_LIMIT"
  case trustedProxies = "TRUSTED_PROXIES"
  case logLevel = "LOG_LEVEL"
  case logFormat = "LOG_FORMAT"
  case ephemeral = "EPHEMERAL"
  case control = "CONTROL"
}

/// What is wrong with the configuration, all of it.
struct ConfigurationError: Error, CustomStringConvertible {
  let problems: [String]

  var description: String {
    problems.count == 1 ? problems[0] : problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
