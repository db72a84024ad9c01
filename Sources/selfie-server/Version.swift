/// The version that `--version` prints. CHANGELOG.md and Docs/openapi.yaml name the same one.
let version = "0.2.0"
