import Glibc
import Measuring

/// Repeatedly starts `EXECUTABLE serve`, which takes its settings from the environment, and requests /up until it gets
/// a response. Prints the milliseconds of each start, counted from before the process was created.
@main
struct FirstAnswer {
  /// Seconds between two attempts to connect: short compared with a start, and long enough to leave the core free.
  private static let interval = 0.0005
  private static let mostTime = 10.0

  static func main() {
    let arguments = arguments("first-answer EXECUTABLE PORT COUNT")
    guard let port = UInt16(arguments[1]) else { fail("\(arguments[1]) is no port") }
    for _ in 0..<number(arguments[2]) {
      let begin = monotonicSeconds()
      let process = spawn(arguments[0])
      while !isUp(port) {
        guard monotonicSeconds() - begin < mostTime, waitpid(process, nil, WNOHANG) == 0 else {
          kill(process, SIGKILL)
          fail("the server did not start")
        }
        pause(interval)
      }
      print(decimals((monotonicSeconds() - begin) * 1000, 2))
      kill(process, SIGTERM)
      waitpid(process, nil, 0)
    }
  }

  private static func spawn(_ executable: String) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(executable), strdup("serve"), nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawn(&process, executable, &actions, nil, &arguments, environ) == 0 else {
      fail("\(executable) cannot be run")
    }
    return process
  }

  private static func isUp(_ port: UInt16) -> Bool {
    guard let descriptor = Loopback.open(port: port) else { return false }
    defer { close(descriptor) }
    let request = Array("GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    return Exchange.send(request, to: descriptor) && Exchange.isAnswered(on: descriptor)
  }
}
