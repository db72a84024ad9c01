import SelfieServerCommands

SelfieServerCommand.main()
