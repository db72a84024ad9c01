import Cryptography
import Foundation

/// Pictures of 30 by 20 pixels. After its end, which is where programs stop reading, each has random bytes.
enum PNG {
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAB4AAAAUAQAAAACy0LBpAAAADklEQVR42mP4DwQMtCUAkaVPscC2y0EAAAAASUVORK5CYII=")

  static func random(_ byteCount: Int = 2_700) -> [UInt8] {
    let picture = Array(picture ?? Data())
    return picture + RandomSource.system.bytes(byteCount - picture.count)
  }
}
