import SelfieServer

// The product without PostgreSQL and S3. All commands are in SelfieServer.
SelfieServerCommand.main()
