import HTTPMessages
import Platform

/// The long lists that are being sent. All who ask for the same list share its bytes, so that a user whose clients do not
/// read takes the memory of one list.
final class ListsInFlight: Sendable {
  /// Shorter lists are copied: they fit into the socket's buffer.
  static let minBytes = 64 * 1024

  /// Whose list it is.
  enum Owner: Hashable {
    /// A user's photos or notes.
    case user(Int64)
    /// Posts and users of the Microblog app.
    case everybody
  }

  private struct Key: Hashable {
    let owner: Owner
    let tag: [UInt8]
  }

  private struct Entry {
    weak var list: SharedBytes?
  }

  private let memory: MemoryBudget
  private let entries = Monitor<[Key: Entry]>([:])

  init(memory: MemoryBudget) {
    self.memory = memory
  }

  /// Reserves memory for a list that is being made.
  func reservation() -> MemoryReservation { MemoryReservation(of: memory) }

  /// The list with this content that is being sent already, or else this one.
  ///
  /// - Parameter reservation: for the list.
  /// - Throws: `MemoryExhausted`
  func share(
    _ json: [UInt8], tag: ETag, of owner: Owner, _ reservation: MemoryReservation
  ) throws(MemoryExhausted) -> SharedBytes {
    try reservation.resize(to: json.count)
    return entries.withLock { entries in
      let key = Key(owner: owner, tag: tag.bytes)
      if let list = entries[key]?.list { return list }
      entries = entries.filter { $0.value.list != nil }
      let list = SharedBytes(json, memory: reservation)
      entries[key] = Entry(list: list)
      return list
    }
  }
}
