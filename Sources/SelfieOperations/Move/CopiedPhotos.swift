import SQL
import SelfieAPI

/// Photos are copied before their rows are inserted, so that after a crash no row lacks its bytes. Move+Photos.swift
/// copies the bytes.
extension ApplicationDatabase {
  /// Notes photos that are about to be copied to an object store, whose servers delete the objects that get no row. Files
  /// need no note: the next start finds those without a row.
  func noteCopies(of ids: [String]) async throws {
    guard shared != nil, !ids.isEmpty else { return }
    try await write(about: .all) { try $0.noteUploads(ids) }
  }

  /// Runs `body`, which inserts the rows of copied photos, in a transaction, and ends their uploads.
  ///
  /// - Parameter files: where the copies are; nil if they are objects.
  func insert(
    copiesOf ids: [String], in files: PhotoFiles?, _ body: @escaping @Sendable (any Transaction) throws -> Void
  ) async throws {
    try await write(about: .all) { tx in
      try body(tx)
      if files == nil { try tx.forgetUploads(ids) }
    }
    // If this fails, the next start removes the names.
    for id in ids { try? files?.removeIncoming(id) }
  }
}
