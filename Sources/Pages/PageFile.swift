import CPages
package import HTTPMessages
package import Platform

/// A file of the pages for people, as it was when the server was built. Home.swift in SelfieAPI and `OwnerPage` in
/// SelfieOperations have the addresses of the pages.
///
/// `@unchecked Sendable`: the bytes are constants of the program, so they can be shared, and live as long as it.
package struct PageFile: @unchecked Sendable {
  /// The page that a file belongs to.
  package enum Folder: String, Sendable, CaseIterable {
    case home, inspector, owner
  }

  package let name: String
  private let folder: String
  private let bytes: UnsafeRawBufferPointer

  private init(_ file: cpages_file) {
    name = String(cString: file.name)
    folder = String(cString: file.folder)
    bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
  }

  /// - Returns: nil if neither the folder nor what all pages share has a file of this name.
  package init?(_ name: String, in folder: Folder) {
    // As bytes: a client may ask for a long name.
    guard let file = Self.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) && $0.isPart(of: folder) }) else {
      return nil
    }
    self = file
  }

  /// The names of all files that a page can use.
  package static func names(in folder: Folder) -> [String] {
    all.filter { $0.isPart(of: folder) }.map(\.name)
  }

  /// The file, compressed for a client that can read that, or a 304 for one that has it already.
  ///
  /// - Parameter pool: compresses. While it has too much to do, the file is sent as it is.
  package func response(to request: Request, by pool: WorkerPool) async -> Response {
    let compressed = request.acceptsGzip ? try? await compressed(by: pool) : nil
    let content = compressed ?? Array(bytes)
    let etag = ETag(of: content)
    var fields = ResponseFields(lines: "Cache-Control: max-age=0, private, must-revalidate\r\n")
    fields.append("ETag", etag.bytes)
    if compressed != nil { fields.append("Vary", "Accept-Encoding" as StaticString) }
    if etag.isNamed(by: request) { return Response(status: .notModified, fields: fields) }
    fields.append("Content-Type", contentType)
    if compressed != nil { fields.append("Content-Encoding", "gzip" as StaticString) }
    fields.append(lines: Self.safety)
    return Response(status: .ok, fields: fields, body: .bytes(content))
  }

  /// Compressed when it is first asked for, and kept. All files at once would take as long as the start of a server, of
  /// which most that tests start never show a page.
  private func compressed(by pool: WorkerPool) async throws -> [UInt8] {
    let key = "\(folder)/\(name)"
    if let known = Self.compressedFiles.withLock({ $0[key] }) { return known }
    let made = try await pool.run { Gzip.compressed(Array(bytes)) }
    Self.compressedFiles.withLock { $0[key] = made }
    return made
  }
  private static let compressedFiles = Monitor<[String: [UInt8]]>([:])

  private var contentType: StaticString {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }

  /// A page loads only what this server sends, runs no script within its HTML, and is shown in no frame.
  private static let safety = Array(
    """
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'\r
    Cross-Origin-Resource-Policy: same-origin\r
    Referrer-Policy: no-referrer\r\n
    """.utf8)

  private func isPart(of folder: Folder) -> Bool { self.folder == folder.rawValue || self.folder == "shared" }

  private static let all = UnsafeBufferPointer(start: cpages_files, count: cpages_count).map(PageFile.init)
}
