import SQL

extension SharedDatabaseError {
  var storageFailure: StorageFailure.Kind {
    switch kind {
    case .away: .away(.database)
    case .timeout, .conflict: .busy
    case .full: .full
    case .outcomeUnknown: .outcomeUnknown
    // Writes lock and check what they refer to, so that these are mistakes of the program.
    case .uniqueViolation, .foreignKeyViolation, .nulInText, .bug: .unexpected
    }
  }

  /// Anybody may read it, so that it does not name the server.
  var messageToOwner: String {
    switch kind {
    case .away: "The database does not respond. Look at the PostgreSQL server, and at the network on the way to it."
    case .timeout, .conflict:
      "The database is too slow, or other work is in the way. Look at what the PostgreSQL server does."
    case .full:
      "The database's disk is full, or the PostgreSQL server is at another limit. Make room, or raise the limit."
    case .outcomeUnknown:
      "The database did not say whether it has stored something. Look at the PostgreSQL server, and at the network."
    case .uniqueViolation, .foreignKeyViolation, .nulInText, .bug: StorageFailure.unknown
    }
  }
}

extension PhotoObjectsError {
  var storageFailure: StorageFailure.Kind {
    switch kind {
    case .away: .away(.objects)
    case .full: .full
    case .missing, .unexpected: .unexpected
    }
  }

  var messageToOwner: String {
    switch kind {
    case .away:
      "The object store does not respond, or has no such bucket. Look at it, and at the network on the way to it."
    case .full: "The object store, or its bucket, is full. Make room, or raise the quota."
    case .missing, .unexpected:
      "The object store refuses what it is asked for. Look at its settings; the server's log says more."
    }
  }
}
