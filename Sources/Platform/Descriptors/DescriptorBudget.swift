import Glibc

/// The descriptors that clients may use for their connections and files, of all ports together. The rest is for the server
/// itself: for the database, backups, monitoring, and the Swift runtime, which traps without. DescriptorLimit.swift has
/// the limit of the process.
///
/// Nothing is counted, so nothing can be forgotten: the system gives each new descriptor the lowest number that is free
/// (open(2)), which is how many are open at least. A client's descriptor with a number from `limit` on is one of the
/// reserve. It stays only if others make room, under a lower number.
package final class DescriptorBudget: Sendable {
  /// Lets connections give way, and returns whether any has.
  ///
  /// - Parameter mayWait: whether the caller may be kept waiting. An event loop may not.
  package typealias RoomMaker = @Sendable (_ mayWait: Bool) -> Bool

  /// That of this process. It is made when it is first used, after the process has raised its limit.
  package static let ofThisProcess = DescriptorBudget(
    limit: clientLimit(of: ProcessStatistics.descriptorLimit.map { Int(clamping: $0) } ?? 1024))

  /// For what the server itself needs to be watched.
  package static let unlimited = DescriptorBudget(limit: .max)

  /// More than a server has open for itself: 21 when it is idle, and up to 32 for reads, 16 for uploads that are being
  /// synced, and a few for a backup and the owner's commands.
  private static let reserve = 128

  /// How many of all descriptors clients may use. A process that may have few has a reserve of a quarter.
  static func clientLimit(of descriptors: Int) -> Int { descriptors - min(reserve, descriptors / 4) }

  package let limit: Int
  private let roomMakers = Monitor<[ObjectIdentifier: RoomMaker]>([:])

  package init(limit: Int) {
    self.limit = limit
  }

  /// Whether a client may keep this descriptor.
  package func allows(_ descriptor: Int32) -> Bool { Int(descriptor) < limit }

  /// - Parameter roomMaker: nil once `owner` cannot make room any more.
  package func setRoomMaker(of owner: AnyObject, _ roomMaker: RoomMaker?) {
    roomMakers.withLock { $0[ObjectIdentifier(owner)] = roomMaker }
  }

  package func makeRoom(mayWait: Bool) -> Bool {
    // The maker may need the monitor of another thread that asks for room.
    let all = roomMakers.withLock { Array($0.values) }
    return all.contains { $0(mayWait) }
  }

  /// The descriptor under a number that clients may use; nil if none is free. The caller owns the result in place of the
  /// one that it gave, or still owns that one.
  package func lowered(_ descriptor: Int32) -> Int32? {
    guard !allows(descriptor) else { return descriptor }
    let lower = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard lower >= 0 else { return nil }
    guard allows(lower) else {
      close(lower)
      return nil
    }
    close(descriptor)
    return lower
  }

  /// Opens a file for a client. If clients have all descriptors, connections give way first.
  ///
  /// - Parameters:
  ///   - open: may be called twice.
  ///   - file: the file of what `open` has opened.
  /// - Throws: EMFILE if none does.
  package func open<Opened>(
    mayWait: Bool, _ open: () throws(FileError) -> Opened
  ) throws(FileError) -> Opened {
    do throws(FileError) {
      return try open()
    } catch {
      guard error.number == EMFILE, makeRoom(mayWait: mayWait) else { throw error }
      return try open()
    }
  }

  /// The same file under a number that clients may use. If clients have all descriptors, connections give way first.
  ///
  /// - Throws: EMFILE if none does.
  package func keep(_ file: OpenFile, path: String, mayWait: Bool) throws(FileError) -> OpenFile {
    guard !allows(file.descriptor) else { return file }
    let lower = makeRoom(mayWait: mayWait) ? fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0) : -1
    guard lower >= 0 else { throw FileError("open", path, number: EMFILE) }
    let kept = OpenFile(owning: lower)
    guard allows(lower) else { throw FileError("open", path, number: EMFILE) }
    return kept
  }
}
