import SelfieServer

// The product without PostgreSQL and S3. `SelfieServerCommand` in SelfieServer has all commands.
SelfieServerCommand.main()
