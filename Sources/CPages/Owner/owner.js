// The owner's page: it begins a session with the link, and then looks at the server every few seconds.
import './frame.js'
import {find, say} from './dom.js'
import {close, open, run} from './server.js'
import {showErrors, showHistory, showNow, showSettings} from './overview.js'
import {showAccounts} from './accounts.js'

const interval = 5_000
const historyInterval = 60_000
let isOpen = false
let timer = 0
let historyTime = -Infinity

function end(message) {
  clearTimeout(timer)
  isOpen = false
  find('main').hidden = find('session').hidden = true
  say(find('state'), message, 'bad')
}

/** Asks for nothing while the page is hidden. */
async function look() {
  clearTimeout(timer)
  if (document.hidden || !isOpen) return
  try {
    const [{result: status}, {result: activity}] = await Promise.all([run('status'), run('activity')])
    showNow(status, activity)
    showErrors(activity.errors)
    if (performance.now() - historyTime > historyInterval) {
      historyTime = performance.now()
      showHistory((await run('history')).result)
      // Lists that change while they are in use would take the focus away.
      if (!find('main').querySelector('table')?.contains(document.activeElement)) await showAccounts()
    }
    // A live region that is written again would be read out again.
    if (!find('state').classList.contains('good')) say(find('state'), 'The server is running.', 'good')
  } catch (error) {
    // Without a session the page may be gone as well.
    if (error.status === 401 || error.status === 404) return end('The session has ended. For a new link, run selfie-server owner.')
    say(find('state'), `✗ ${error.message}`, 'bad')
  }
  timer = setTimeout(look, interval)
}

async function start() {
  try {
    await open()
    showSettings((await run('settings')).result)
    await showAccounts()
  } catch (error) {
    return end(error.message)
  }
  isOpen = true
  find('main').hidden = find('session').hidden = false
  await look()
}

document.addEventListener('visibilitychange', look)
find('close').addEventListener('click', async () => {
  try {
    await close()
    end('The page is closed. For a new link, run selfie-server owner.')
  } catch (error) {
    say(find('state'), `✗ ${error.message}`, 'bad')
  }
})
// Another link in a tab that has the page already.
addEventListener('hashchange', () => { if (location.hash) start() })
start()
