import SelfieAPI

/// The version that `--version` prints.
let version = Application.version
