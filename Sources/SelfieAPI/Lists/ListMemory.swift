import Platform

/// The memory of a list that is being made.
struct ListMemory {
  private let reservation: MemoryReservation
  private var reserved = LongList.minBytes

  init(_ reservation: MemoryReservation) {
    self.reservation = reservation
  }

  /// To be called after each element.
  ///
  /// - Parameter byteCount: of the list as far as it is written.
  mutating func cover(_ byteCount: Int) throws(MemoryExhausted) {
    guard byteCount > reserved else { return }
    reserved = byteCount + max(LongList.minBytes, byteCount / 4)
    // The bytes are copied once, when all of them are there.
    try reservation.resize(to: 2 * reserved)
  }
}
