import Platform
import SQL
import SQLite
import SelfieAPI

/// How many photos and files a repair would take away, counted before it begins: an owner whose disk is not mounted, or
/// whose database is another one, must not lose the rest to a repair.
struct StorageSurvey {
  /// A repair asks before it takes away more than this number and more than a tenth.
  private static let maxUnasked = 10

  /// Rows of photos.
  var photos = 0
  /// Rows whose file is missing.
  var missing = 0
  /// Files among the photos.
  var files = 0
  /// Files that belong to no photo, whatever their names.
  var strays = 0
  /// Strays that have names of photos.
  var strayPhotos = 0
  var hasAccounts = false

  /// Whether the database and the photos seem to belong together.
  var belongsTogether: Bool { !lacksAllFiles && !lacksAllRows }
  private var lacksAllFiles: Bool { photos > 0 && missing == photos }
  private var lacksAllRows: Bool { strayPhotos > 0 && photos == 0 && !hasAccounts }

  /// Why a repair is refused that would take something away; nil if it is not.
  func refusal(in layout: StorageLayout, dropsMissing: Bool) -> String? {
    if lacksAllFiles && (dropsMissing || strays > 0) {
      return
        "Not one of the \(counted(photos, "photo")) of \(StorageLayout.database) is in \(layout.photos). Is its disk "
        + "mounted? No row was deleted and no file moved."
    }
    if lacksAllRows {
      return
        "\(layout.photos) has \(counted(strayPhotos, "photo")), and \(layout.database) has no account and no photo. Is "
        + "it another storage's? Restore a backup. No file was moved."
    }
    return nil
  }

  /// The question about deleting rows; nil if there are few.
  var questionAboutRows: String? {
    guard Self.isMany(missing, of: photos) else { return nil }
    return "\(missing) of \(photos) photos have no file. Delete their rows, which are kept in "
      + "\(StorageLayout.lostAndFound)?"
  }

  /// The question about moving files; nil if there are few.
  var questionAboutFiles: String? {
    guard Self.isMany(strays, of: files) else { return nil }
    return "\(strays) of \(files) files in \(StorageLayout.photos) belong to no photo. Move them to "
      + "\(StorageLayout.lostAndFound)?"
  }

  static func isMany(_ part: Int, of whole: Int) -> Bool { part > maxUnasked && part > whole / 10 }
}

extension StorageCheck {
  /// Counts what a repair would take away. Changes nothing.
  func survey(_ connection: Connection) async throws -> StorageSurvey {
    var survey = StorageSurvey()
    survey.hasAccounts = try connection.exists(StorageIdentityStore.anyAccount)
    try connection.forEachPage({ PhotoStore.page(after: $0) }, id: \.id) { (page: [Photo]) in
      for photo in page where Photo.isID(photo.randomID.utf8) {
        survey.photos += 1
        // A file that cannot be looked at is not missing, and one of an interrupted upload gets its place back.
        do {
          if try files.status(photo.randomID) == nil && !FileSystem.exists(layout.upload(photo.randomID)) {
            survey.missing += 1
          }
        } catch {}
      }
    }
    try await forEachFile(connection) { file in
      guard file.isStray || !file.isPhotoFolder else { return }
      survey.files += 1
      guard file.isStray else { return }
      survey.strays += 1
      if file.name.text.map({ Photo.isID($0.utf8) }) == true { survey.strayPhotos += 1 }
    }
    return survey
  }
}
