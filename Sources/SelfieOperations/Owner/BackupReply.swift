/// The reply to the command `backup`.
package enum BackupReply: Codable, Sendable {
  case made(MadeBackup)
  /// Another backup is being made in this folder.
  case inProgress(folder: String)

  private enum CodingKeys: String, CodingKey {
    case inProgress = "in_progress"
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    if let folder = try members.decodeIfPresent(String.self, forKey: .inProgress) {
      self = .inProgress(folder: folder)
    } else {
      self = .made(try MadeBackup(from: decoder))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .made(let backup): try backup.encode(to: encoder)
    case .inProgress(let folder):
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(folder, forKey: .inProgress)
    }
  }
}

/// A backup that a server has made in BACKUP_DIR.
package struct MadeBackup: Codable, Sendable {
  package let path: String
  /// Why it is incomplete; nil if it is complete.
  package let error: String?
  package let backup: BackupDescription
  package let warnings: [String]
}

/// The reply to the command `noteBackup`.
package struct NotedBackup: Codable, Sendable {
  package let time: String
}
