/// Request targets (RFC 9112 §3.2).
let targets: [WireCases] = [
  .line(
    .refused(400),
    // RFC 3986 §2
    "GET /\" HTTP/1.1", "GET /<a> HTTP/1.1", "GET /?\" HTTP/1.1", "GET /?<a> HTTP/1.1",
    "GET /\u{e9} HTTP/1.1", "GET /?\u{e9} HTTP/1.1", "GET /\u{0} HTTP/1.1", "GET /\u{1} HTTP/1.1",
    "GET /\u{1b} HTTP/1.1", "GET /\u{7f} HTTP/1.1",
    // WHATWG URL, path percent-encode set; a backslash would be a slash there
    "GET /a\\b HTTP/1.1", "GET /` HTTP/1.1", "GET /{a} HTTP/1.1", "GET /} HTTP/1.1", "GET http://a/{?b HTTP/1.1",
    // RFC 9112 §3.2.1
    "GET /#fragment HTTP/1.1", "GET /a#?b HTTP/1.1", "GET /?a#b HTTP/1.1", "GET ?a HTTP/1.1", "GET ./ HTTP/1.1",
    "GET \\ HTTP/1.1", "GET %2f HTTP/1.1",
    // RFC 9112 §3.2
    "GET a HTTP/1.1", "GET a/b HTTP/1.1", "GET @a/ HTTP/1.1", "GET x//http://a HTTP/1.1",
    // RFC 9110 §4.2.1: an empty host
    "GET http:// HTTP/1.1", "GET http:///p HTTP/1.1", "GET http://:80/ HTTP/1.1", "GET http://?q HTTP/1.1",
    // RFC 9110 §4.2.4: no user information
    "GET http://user@a/ HTTP/1.1", "GET http://u:p@a/ HTTP/1.1",
    // RFC 3986 §3.2.3
    "GET http://a:b/ HTTP/1.1", "GET http://a:80:80/ HTTP/1.1",
    // RFC 3986 §3.2.2
    "GET http://[::1/ HTTP/1.1", "GET http://a\\b/ HTTP/1.1",
    // RFC 3986 §2.1: two digits
    "GET http://a%0/ HTTP/1.1",
    // RFC 9112 §3.2.2
    "GET http:/a HTTP/1.1", "GET http:a HTTP/1.1",
    // RFC 9110 §7.4: not our scheme
    "GET ftp://a/ HTTP/1.1", "GET file:///etc/passwd HTTP/1.1", "GET ws://a/ HTTP/1.1", "GET httpx://a/ HTTP/1.1",
    "GET javascript:alert(1) HTTP/1.1", "GET data:, HTTP/1.1",
    // RFC 9112 §3.2.4
    "GET * HTTP/1.1", "POST * HTTP/1.1", "OPTIONS ** HTTP/1.1", "OPTIONS *?q HTTP/1.1", "OPTIONS */ HTTP/1.1",
    // RFC 9112 §3.2.3: of CONNECT only
    "GET a:80 HTTP/1.1", "GET 127.0.0.1 HTTP/1.1"),
  // RFC 9112 §3.2.4
  .line(.served(["options *"]), "OPTIONS * HTTP/1.1"),
  // RFC 9112 §3.2.1
  .line(.served(["options /"]), "OPTIONS / HTTP/1.1"),
]

/// Targets that the service sees as they are.
let servedTargets: [WireCases] = [
  // RFC 9112 §3.2.1
  "/a/b?c=d&e", "//",
  // RFC 9112 §3.2.1: a path, not an authority
  "//evil/x",
  // the path is the service's business
  "/../../etc/passwd",
  // escapes are the service's business
  "/%00%0d%0a", "/%zz%",
  // RFC 9112 §3.2.1: an empty query
  "/?",
  // what clients leave unescaped
  "/?a[]=1",
  // WHATWG URL: what browsers leave unescaped, in a query and in a path
  "/?a|b", "/?q={x}", "/?\\^`{|}", "/a^b|c", "/^?`?{", "http://a/|?{}", "http://a?{}",
  // RFC 9112 §3.2.2: servers must accept it, and it replaces the Host field
  "http://a/", "http://a", "https://a/", "http://b/",
  // RFC 9110 §4.2.3
  "HTTP://A:80/?q",
  // RFC 3986 §3.2.2, and §3.2.3: an empty port
  "http://[::1]:3000/", "http://a:/",
].map { .line(.served(["get \($0)"]), "GET \($0) HTTP/1.1") }

/// Host fields (RFC 9112 §3.2).
let hosts: [WireCases] = [
  .host(
    .served(["get /"]),
    // RFC 9112 §3.2
    "Host: a",
    // RFC 9110 §5.1: names have no case
    "host:a",
    // RFC 9112 §5.1: OWS
    "HOST:\t a.example:3000 \t",
    // RFC 9110 §7.2
    "Host: 127.0.0.1:65535",
    // RFC 3986 §3.2.2
    "Host: [::1]", "Host: [fe80::1]:80", "Host: [v1.a:b]", "Host: A_b-c.d~1", "Host: %61", "Host: a!$&'()*+,;=b",
    // RFC 4007 §11, RFC 6874: a zone
    "Host: [fe80::1%en0]", "Host: [fe80::1%eth0.1]:80", "Host: [fe80::1%25en0]:80",
    // RFC 3986 §3.2.3: an empty port
    "Host: a:"),
  .host(
    .refused(400),
    // RFC 9112 §3.2
    "X: y", "Hos: a", "Host-: a", "X-Host: a", "Host: a\r\nHost: a", "Host: a\r\nHost: b",
    "Host: a\r\nX: y\r\nhOST: b", "Host: a\r\nHost:",
    // RFC 9110 §4.2.1: an empty host
    "Host:", "Host: \t ", "Host: :80",
    // RFC 3986 §3.2.2
    "Host: a b", "Host: a\tb", "Host: a/b", "Host: a?b", "Host: a#b", "Host: a\\b", "Host: \"a\"", "Host: <script>",
    "Host: ::1", "Host: [::1", "Host: ::1]", "Host: []", "Host: [::1]a",
    "Host: [fe80::1%]", "Host: [%en0]", "Host: [fe80::1%%]", "Host: [fe80::1%a/b]", "Host: [fe80::1%a b]",
    "Host: a[::1]", "Host: b\u{fc}cher",
    // RFC 9110 §7.2: no user information
    "Host: a@b",
    // RFC 3986 §3.2.3
    "Host: a:b", "Host: a:80b", "Host: a:-1", "Host: a:80:80",
    // RFC 3986 §2.1: two digits
    "Host: %6", "Host: %zz",
    // RFC 9110 §5.5: NUL
    "Host: a\u{0}",
    // RFC 9112 §5.1: no white space before the colon
    "Host : a",
    // RFC 9112 §5.2: no folding
    "Host: a\r\n b",
    // RFC 9112 §2.2: white space before the first field
    " Host: a",
    // RFC 9110 §5.1
    "Host\u{0}: a",
    // RFC 9112 §5: a colon is needed
    "Host"),
  .raw(
    .refused(400),
    // RFC 9112 §3.2
    "GET / HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a b\r\n\r\n",
    // RFC 9112 §3.2.2: even with absolute-form
    "GET http://a/ HTTP/1.1\r\n\r\n"),
  .raw(
    .servedLast(["get /"]),
    // RFC 9112 §3.2
    "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n"),
]
