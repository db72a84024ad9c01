import HTTPMessages
import Platform

/// The long lists that are being sent. All who ask for the same list share its bytes, so that a user whose clients do not
/// read takes the memory of one list.
final class ListsInFlight: Sendable {
  private struct Key: Hashable {
    let owner: LongList.Owner
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

  /// The list that `write` writes.
  func list(
    of owner: LongList.Owner, _ write: (inout JSONWriter, inout ListMemory) throws -> Void
  ) throws -> LongList {
    let reservation = reservation()
    var memory = ListMemory(reservation)
    var json = JSONWriter(capacity: 1024)
    try write(&json, &memory)
    return try list(json.bytes, of: owner, reservation)
  }

  /// A list with this content: with the bytes of one that is being sent already, if there is such a list.
  ///
  /// - Parameter reservation: for the list.
  func list(
    _ json: [UInt8], of owner: LongList.Owner, _ reservation: MemoryReservation
  ) throws(MemoryExhausted) -> LongList {
    let tag = ETag(of: json)
    guard json.count >= LongList.minBytes else { return LongList(body: .bytes(json), tag: tag) }
    try reservation.resize(to: json.count)
    return entries.withLock { entries in
      let key = Key(owner: owner, tag: tag.bytes)
      if let list = entries[key]?.list { return LongList(body: .shared(list), tag: tag) }
      entries = entries.filter { $0.value.list != nil }
      let list = SharedBytes(json, memory: reservation)
      entries[key] = Entry(list: list)
      return LongList(body: .shared(list), tag: tag)
    }
  }
}
