/// The settings, by their names in the environment and the configuration file.
enum Setting: String, CaseIterable {
  case apiAuthName = "API_AUTH_NAME"
  case apiAuthPassword = "API_AUTH_PASSWORD"
  case apiAuthPasswordPrevious = "API_AUTH_PASSWORD_PREVIOUS"
  case host = "HOST"
  case port = "PORT"
  case storageDir = "STORAGE_DIR"
  case publicURL = "PUBLIC_URL"
  case tlsCertificate = "TLS_CERTIFICATE"
  case tlsKey = "TLS_KEY"
  case acmeWebroot = "ACME_WEBROOT"
  case acmePort = "ACME_PORT"
  case apiFamilies = "API_FAMILIES"
  case homePage = "HOME_PAGE"
  case signup = "SIGNUP"
  case getToken = "GET_TOKEN"
  case tokenLifetime = "TOKEN_LIFETIME"
  case refreshLifetime = "REFRESH_LIFETIME"
  case sessionLifetime = "SESSION_LIFETIME"
  case passwordCost = "PASSWORD_COST"
  case maxPhotoBytes = "MAX_PHOTO_BYTES"
  case maxPhotos = "MAX_PHOTOS"
  case userQuota = "USER_QUOTA"
  case storageQuota = "STORAGE_QUOTA"
  case memoryLimit = "MEMORY_LIMIT"
  case rateLimit = "RATE_LIMIT"
  case trustedProxies = "TRUSTED_PROXIES"
  case corsOrigins = "CORS_ORIGINS"
  case databaseURL = "DATABASE_URL"
  case s3Endpoint = "S3_ENDPOINT"
  case s3Bucket = "S3_BUCKET"
  case s3Region = "S3_REGION"
  case s3AccessKeyID = "S3_ACCESS_KEY_ID"
  case s3SecretAccessKey = "S3_SECRET_ACCESS_KEY"
  case s3AddressingStyle = "S3_ADDRESSING_STYLE"
  case s3Redirect = "S3_REDIRECT"
  case sweepAfter = "SWEEP_AFTER"
  case backupDir = "BACKUP_DIR"
  case backupEvery = "BACKUP_EVERY"
  case backupKeep = "BACKUP_KEEP"
  case metrics = "METRICS"
  case logLevel = "LOG_LEVEL"
  case logFormat = "LOG_FORMAT"
  case logRequests = "LOG_REQUESTS"
  case ephemeral = "EPHEMERAL"
  case control = "CONTROL"
  case controlName = "CONTROL_NAME"
  case controlPassword = "CONTROL_PASSWORD"

  /// The name of the setting that says which file holds this one; nil for settings that no file of their own can hold.
  var fileName: String? {
    isSecret || [.s3Endpoint, .s3Bucket, .s3Region].contains(self) ? "\(rawValue)_FILE" : nil
  }

  /// All names that the environment and the file may have.
  static let names = allCases.flatMap { [$0.rawValue, $0.fileName].compactMap(\.self) }

  /// The name of a setting of which another name may be a misspelling. A short name has too many neighbors, such as HOME
  /// of HOST.
  static func name(like name: String) -> String? {
    SimilarName.nearest(to: name.uppercased(), among: names.filter { abs($0.count - name.count) <= 2 }) {
      switch $0.count {
      case ...5: -1
      case ...8: 1
      default: 2
      }
    }
  }

  /// Whether nobody may be shown the value.
  var isSecret: Bool {
    switch self {
    case .apiAuthName, .apiAuthPassword, .apiAuthPasswordPrevious, .controlName, .controlPassword, .databaseURL,
      .s3AccessKeyID, .s3SecretAccessKey:
      true
    default: false
    }
  }

  /// Whether the value is a path.
  var isPath: Bool {
    [.storageDir, .backupDir, .tlsCertificate, .tlsKey, .acmeWebroot].contains(self)
  }
}
