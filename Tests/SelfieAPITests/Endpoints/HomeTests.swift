import APITestSupport
import Foundation
import HTTPMessages
import Pages
import Platform
import TestSupport
import Testing

@testable import SelfieAPI

/// `GET /` and the files of the page.
@Suite struct HomeTests {
  private let pool = WorkerPool(name: "pages", threads: 1, waiting: 1)

  @Test func `all files of the page are there, small, and revalidated by their tags`() async throws {
    let api = try APIFixture()
    #expect(PageFile.names(in: .home).contains("home.js"))
    for name in PageFile.names(in: .home) {
      let file = await api.get("/pages/\(name)")
      #expect(file.status == .ok, "\(name)")
      let isDocumentation = name.hasSuffix(".md") || name.hasSuffix(".yaml")
      #expect(isDocumentation || file.content.count < 80_000, "\(name)")
      let tag = try #require(file.fields["ETag"])
      #expect(await api.get("/pages/\(name)", fields: [("If-None-Match", tag)]).status == .notModified)
    }
    for name in ["inspector.html", "nothing.js", "..", "%2e%2e"] {
      #expect(await api.get("/pages/\(name)").status == .notFound, "\(name)")
    }
  }

  @Test(arguments: ["/api", "/api/", "/inspector", "/admin", "/api/sign_in", "/nope.json"])
  func `a browser at an address that no app has gets a page that leads on, and the reason`(path: String) async throws {
    let api = try APIFixture()
    let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]
    let page = await api.get(path, fields: browser)
    #expect(page.status == .notFound && page.fields["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.text.contains("There is no page here"))
    #expect(page.fields["X-Error-Detail"]?.contains("no GET /") == true)
    for fields in [[], [("Accept", "text/html")], [("Accept", "application/json")]] {
      #expect(await api.get(path, fields: fields).message == "Wrong URL or HTTP method")
    }
    let headless = try APIFixture { $0.hasHomePage = false }
    #expect(await headless.get(path, fields: browser).message == "Wrong URL or HTTP method")
  }

  @Test func `a client that reads gzip gets a file compressed, with a tag of its own`() async throws {
    let api = try APIFixture()
    for name in PageFile.names(in: .home) {
      let plain = await api.get("/pages/\(name)")
      let packed = await api.get("/pages/\(name)", fields: [("Accept-Encoding", "br, GZIP;q=0.5")])
      #expect(packed.fields["Content-Encoding"] == "gzip" && packed.fields["Vary"] == "Accept-Encoding")
      #expect(packed.fields["ETag"] != plain.fields["ETag"] && packed.content.count < plain.content.count * 4 / 5)
      let file = try TemporaryFolder()
      try Data(packed.content).write(to: URL(fileURLWithPath: "\(file.path)/packed"))
      let unpacked = try Program.output(of: "/usr/bin/gzip", ["-dc", "\(file.path)/packed"])
      #expect(unpacked.status == 0 && unpacked.text == plain.text, "\(name)")
    }
    for value in ["gzip;q=0", "gzip; q=0.000", "br", "identity"] {
      #expect(await api.get("/pages/page.css", fields: [("Accept-Encoding", value)]).fields["Content-Encoding"] == nil)
    }
  }

  @Test func `a file is compressed once, on a thread of the pool, and sent as it is if the pool takes no work`()
    async throws
  {
    let file = try #require(PageFile("user.js", in: .owner))
    let request = Request("GET", "/", fields: [("Accept-Encoding", "gzip")])
    let ended = WorkerPool(name: "ended", threads: 1, waiting: 1)
    ended.shutDown()
    for (pool, coding) in [(ended, nil), (pool, "gzip"), (ended, "gzip")] {
      #expect(await file.response(to: request, by: pool).fields["Content-Encoding"] == coding)
    }
  }

  @Test func `the page loads only files that there are, from this server, and makes no HTML of texts`() async throws {
    let api = try APIFixture()
    for folder in PageFile.Folder.allCases {
      for name in PageFile.names(in: folder) where !name.hasSuffix(".md") && !name.hasSuffix(".yaml") {
        let file = try await #require(PageFile(name, in: folder)).response(to: Request("GET", "/"), by: pool)
        for loaded in file.text.matches(
          of: /(?:src|href)="([^"#]*)"|(?:from |import |import\()'([^']*)'| url\(([^)]*)\)/)
        {
          let address = String(loaded.1 ?? loaded.2 ?? loaded.3 ?? "")
          // The inspector and the owner's page are at addresses of their own.
          guard !["data:,", "/", "", "/__admin/", "/owner"].contains(address) else { continue }
          #expect(!address.contains("//"), "\(name): \(address)")
          // A page may be told in its query which other file to show.
          for file in address.split(separator: "/").last?.split(separator: "?") ?? [] {
            #expect(PageFile(String(file), in: folder) != nil, "\(name): \(address)")
          }
        }
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
          #expect(!file.text.contains(forbidden), "\(name): \(forbidden)")
        }
        #expect(!name.hasSuffix(".html") || !file.text.contains(/<[^>]* (style|on\w+)=/), "\(name)")
      }
    }
    #expect(!(await api.get("/")).text.contains(APIFixture.authPassword))
  }

  @Test(arguments: [
    ("home.html", PageFile.Folder.home), ("docs.html", .home), ("inspector.html", .inspector), ("owner.html", .owner),
  ])
  func `a page and the files that it opens with have at most 66 kB, and 30 kB as sent`(
    page: String, folder: PageFile.Folder
  ) async throws {
    let gzip = Request("GET", "/", fields: [("Accept-Encoding", "gzip")])
    var names = [page]
    var (byteCount, sentCount) = (0, 0)
    var next = 0
    while next < names.count {
      let file = try #require(PageFile(names[next], in: folder))
      let plain = await file.response(to: Request("GET", "/"), by: pool)
      next += 1
      byteCount += plain.content.count
      sentCount += await file.response(to: gzip, by: pool).content.count
      for match in plain.text.matches(
        of: /(?:src|href)="[^"]*\/([^\/"]+\.(?:css|js|svg))"|(?:from|import) '\.\/([^']*)'/)
      {
        let used = String(match.1 ?? match.2 ?? "")
        if !names.contains(used) { names.append(used) }
      }
    }
    #expect(byteCount <= 66_000 && sentCount <= 30_000, "\(byteCount), \(sentCount)")
  }

  @Test func `HOME_PAGE=off removes the page, its files and its JSON`() async throws {
    let api = try APIFixture { $0.hasHomePage = false }
    for path in ["/", "/home/index", "/home/index.html", "/pages/page.css", "/pages/Settings.md"] {
      #expect(await api.get(path).status == .notFound, "\(path)")
    }
    #expect(await !api.get("/", fields: [("Accept", "application/json, */*")]).text.contains("version"))
    #expect(await api.get("/up").status == .ok)
  }

  @Test func `a program learns the name, the version and the families`() async throws {
    let api = try APIFixture { settings in
      settings.families = [.notes, .selfie]
      settings.signup = .closed
    }
    let response = await api.get("/", fields: [("Accept", "application/json, */*;q=0.1")])
    #expect(
      response.text
        == #"{"name":"selfie-server","version":"\#(Application.version)","families":["selfie","notes"],"#
        + #""signup":"closed","public_url":null,"max_photo_bytes":67108864}"#)
    #expect(response.fields["Vary"] == "Accept")
    let tests = try APIFixture { $0.hasInspector = true }
    #expect(
      await tests.get("/", fields: [("Accept", "application/json, */*")]).text.contains(#""inspector":"/__admin/""#))
    #expect(await api.get("/", fields: [("Accept", "text/html, application/json")]).text.hasPrefix("<!DOCTYPE html>"))
  }

  @Test func `a server that keeps nothing tells programs on its machine the API's credentials, and no others`()
    async throws
  {
    let api = try APIFixture { $0.showsCredentials = true }
    for (host, isTold) in [("localhost", true), ("selfie.example", false)] {
      let fields = [(name: "Host", value: host), (name: "Accept", value: "application/json, */*")]
      let text = await api.application.respond(Request("GET", "/", fields: fields, peer: "127.0.0.1")).text
      #expect(text.contains(#","command":""#) == isTold)
      #expect(text.contains(#""api_auth_password":"\#(APIFixture.authPassword)""#) == isTold, "\(host)")
    }
  }

  @Test func `the documentation is that of this version`() async throws {
    let api = try APIFixture()
    #expect(await api.get("/pages/openapi.yaml").text.contains("\n  version: \(Application.version)\n"))
    #expect(await api.get("/pages/Compatibility.md").fields["Content-Type"] == "text/plain; charset=utf-8")
  }
}
