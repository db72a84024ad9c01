import SelfieServer

SelfieServerCommand.main()
