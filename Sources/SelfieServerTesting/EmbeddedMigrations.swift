import SQL
import SQLite

extension Migrations {
  /// The migrations of the folder Migrations, as they were when this was compiled.
  static let embedded = Migrations([
    step("0001_create_users", PackageResources._001_create_users_sql),
    step("0002_create_photos", PackageResources._002_create_photos_sql),
    step("0003_create_tokens", PackageResources._003_create_tokens_sql),
    step("0004_add_photo_digests", PackageResources._004_add_photo_digests_sql),
    step("0005_index_photos_without_digest", PackageResources._005_index_photos_without_digest_sql),
    step("0006_create_notes", PackageResources._006_create_notes_sql),
    step("0007_create_microblog", PackageResources._007_create_microblog_sql),
    step("0008_refresh_tokens", PackageResources._008_refresh_tokens_sql),
    step("0009_disable_users", PackageResources._009_disable_users_sql),
    step("0010_sum_photo_bytes", PackageResources._010_sum_photo_bytes_sql),
  ])

  private static func step(_ name: String, _ file: [UInt8]) -> Migration {
    Migration(name: name, sql: String(decoding: file, as: UTF8.self))
  }
}
