import Foundation

extension Program {
  /// Runs a program to its end. Blocks.
  ///
  /// - Parameter input: what it reads; no more than a pipe takes at once, 64 KB.
  /// - Returns: the status with which it exits, and what it prints.
  package static func output(
    of path: String, _ arguments: [String], input: some Sequence<UInt8> = []
  ) throws -> (status: Int32, text: String) {
    let (inputs, outputs) = (try ProgramPipe(), try ProgramPipe())
    let reading = FileHandle(fileDescriptor: outputs.reading, closeOnDealloc: true)
    let program: Program
    do {
      defer { for descriptor in [inputs.reading, inputs.writing, outputs.writing] { close(descriptor) } }
      let sent = FileHandle(fileDescriptor: inputs.writing)
      try sent.write(contentsOf: Data(input))
      program = try Program(
        path, arguments, environment: ["PATH": "/usr/bin:/bin"], input: inputs.reading, output: outputs.writing,
        errors: STDERR_FILENO)
    }
    let text = String(decoding: reading.readDataToEndOfFile(), as: UTF8.self)
    return (program.end(), text)
  }
}
