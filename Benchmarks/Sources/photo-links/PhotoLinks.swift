import Glibc
import Measuring

/// Makes a photo of one byte, `x`, for each id on standard input, in FOLDER as the server does. They are hard links, as
/// many to one file as ext4 allows.
@main
struct PhotoLinks {
  private static let mostLinks = 60_000

  static func main() {
    let folder = arguments("photo-links FOLDER")[0]
    var (links, subfolder, source) = (0, "", "")
    while let id = readLine() {
      let path = "\(folder)/\(id.prefix(2))"
      if path != subfolder {
        mkdir(path, 0o700)
        subfolder = path
      }
      if links % mostLinks == 0 {
        source = "\(path)/\(id)"
        let file = open(source, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard write(file, "x", 1) == 1, close(file) == 0 else { fail("\(source) cannot be written") }
      } else {
        guard link(source, "\(path)/\(id)") == 0 else { fail("\(path)/\(id): \(String(cString: strerror(errno)))") }
      }
      links += 1
    }
  }
}
