/// Where the photos' bytes are.
package enum PhotoBytes: Sendable {
  /// In a folder of this machine.
  case files(PhotoFiles)
  /// In an object store that several servers share.
  case objects(PhotoObjects)
}
