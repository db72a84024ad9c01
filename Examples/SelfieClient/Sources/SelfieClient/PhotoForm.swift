import Foundation

/// The body of an upload, in multipart/form-data.
struct PhotoForm {
  let image: Data
  let title: String
  private let boundary = "selfie-\(UUID().uuidString)"

  init(image: Data, title: String) {
    self.image = image
    self.title = title
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  var body: Data {
    Data("--\(boundary)\r\n".utf8)
      + Data("Content-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n".utf8)
      + Data("Content-Type: application/octet-stream\r\n\r\n".utf8) + image
      + Data("\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)".utf8)
      + Data("\r\n--\(boundary)--\r\n".utf8)
  }
}
