// Opens the inspector of a test server with the link that `selfie-server owner` has printed.
import {notice} from './notice.js'
import {open} from './server.js'

try {
  await open()
  location.replace('/__admin/')
} catch ({message}) {
  const [text, command] = message.split(/ For a new one, run (.*)\.$/)
  notice('This link does not open the inspector', `${text}${command ? ' For a new one, run:' : ''}`, command)
}
