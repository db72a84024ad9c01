import HTTPMessages
import Testing

@testable import SelfieAPI

/// From path and method to the endpoint.
@Suite struct RoutesTests {
  private static let photo = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"

  @Test(
    arguments: [
      ("/api/signup", "/api/signup"), ("/api/signin", "/api/signin"), ("/api/get_token", "/api/get_token"),
      ("/api/reset_password", "/api/reset_password"), ("/api/upload_photo", "/api/upload_photo"),
      ("/api/get_photos", "/api/get_photos"), ("/api/delete_photo", "/api/delete_photo"),
      ("/api/clear_token", "/api/clear_token"), ("/", "/"), ("/up", "/up"), ("/readyz", "/readyz"),
      ("/readyz/", "/readyz"), ("/home/index", "/home/index"), ("/home/index.html", "/home/index.html"), ("//", "/"),
      ("/up/", "/up"), ("/api/signin/", "/api/signin"), ("//api///signin//", "/api/signin"),
      ("/api/signin.json", "/api/signin"), ("/api/signin.xml/", "/api/signin"),
      ("/api/get_photos.x", "/api/get_photos"),
    ] as [(String, String)])
  func `a path leads to a resource, however it is written`(_ path: String, _ pattern: String) {
    #expect(found(path).map { "\($0.0.pattern)" } == pattern)
  }

  @Test(arguments: [
    ("/photos/\(photo)", photo), ("/photos/\(photo)/", photo), ("//photos//x.png", "x.png"), ("/photos/a.b.c", "a.b.c"),
  ])
  func `a photo's path has its id`(_ path: String, _ id: String) {
    #expect(found(path).map { "\($0.0.pattern)" } == "/photos/:id")
    #expect(found(path)?.id?.elementsEqual(id.utf8) == true)
  }

  private func found(_ path: String) -> (Resource, id: ArraySlice<UInt8>?)? {
    RequestPath(Array(path.utf8)[...]).flatMap { path in
      RouteTable.tables(of: Set(APIFamily.allCases)).lazy.compactMap { $0.find(path) }.first
    }
  }

  @Test(arguments: [
    "", "*", "/api", "/api/", "/api/Signin", "/API/signin", "/api/signin.", "/api/signin.a.b", "/api/.json",
    "/api/sign%69n", "/api/signin/x", "/ap/isignin", "/apis/ignin", "/a/b/c/d/e", "/home/index.htm", "/api/signout",
    "/photos", "/photos/", "/photos/a/b", "/upp", "/home",
    "/home/other", "/up.json", "/ready", "/readyz/x", "/api/signinn", "/x/signin",
  ])
  func `other paths lead nowhere`(_ path: String) {
    #expect(found(path) == nil)
  }
}
