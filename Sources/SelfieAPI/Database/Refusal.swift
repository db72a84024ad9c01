/// Why a store refused a request. Nothing was changed. ErrorResponses.swift makes the response. A failure of the
/// storage is a `StorageFailure`.
package enum Refusal: Error, Equatable {
  /// The token of the request has been ended while the request was under way.
  case tokenEnded
  /// The owner has disabled the account that the request is about.
  case accountDisabled
  /// The user has another password than the one that was checked, or was deleted.
  case passwordReplaced
  /// Another account has the email address or the name.
  case accountExists
  /// The account has as many photos as it may have.
  case tooManyPhotos(max: Int)
  /// A photo does not fit into the quota of an account, in bytes, or into that of all photos.
  case userQuota(Int64)
  case storageQuota(Int64)
  case tooManyNotes
  case tooManyPosts
}
