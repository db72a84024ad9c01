// The owner's page: it begins a session with the link, shows its parts, and looks at the server every few seconds.
import './frame.js'
import {showAttention} from './attention.js'
import {prepareBackup, showLastBackup} from './backup.js'
import {find, say} from './dom.js'
import {showNow} from './overview.js'
import {close, isPlace, open, run} from './server.js'
import {tabs} from './widgets.js'

const interval = 5_000
let isOpen = false
let timer = 0
/** What doctor's quick check found; null while it runs. */
let findings = null
/** The last failed requests. */
let errors = []

function end(message) {
  clearTimeout(timer)
  isOpen = false
  find('content').hidden = find('close').hidden = true
  say(find('state'), message, 'bad')
}

// MARK: - The state of the server

/** Asks for nothing while the page is hidden. */
async function look() {
  clearTimeout(timer)
  if (document.hidden || !isOpen) return
  try {
    const [{result: status}, {result: activity}] = await Promise.all([run('status'), run('activity')])
    showAttention(status, findings)
    showNow(status, activity)
    showLastBackup(status, activity)
    errors = activity.errors
    if (!find('errors-panel').hidden) await show.errors()
    const text = `Running, version ${status.version}`
    // A live region that is written again would be read out again.
    if (find('state').textContent !== text) say(find('state'), text, 'good')
  } catch (error) {
    if (hasEnded(error)) return
    say(find('state'), error.message, 'bad')
  }
  timer = setTimeout(look, interval)
}

/** Without a session the page may be gone as well. */
function hasEnded({status}) {
  const isEnd = status === 401 || status === 404
  if (isEnd) end('The session has ended. For a new link, run selfie-server owner.')
  return isEnd
}

async function check() {
  findings = null
  find('check').disabled = true
  try {
    const {result, total} = await run('check')
    findings = Object.assign(result, {total, time: Date.now()})
  } catch ({status, message}) {
    // A cluster is checked by the command only.
    findings = status === 409 ? [] : [{message: `The storage was not checked. ${message}`}]
  }
  find('check').disabled = false
  await look()
}

// MARK: - The parts of the page

/** Each is loaded when it is shown first. */
const show = {
  overview: () => {},
  async users(email) {
    if (email) await (await import('./user.js')).showUser(email)
    else await (await import('./users.js')).showUsers()
  },
  photos: async () => (await import('./photos.js')).showPhotos(),
  errors: async () => (await import('./reports.js')).showErrors(errors),
  settings: async () => (await import('./reports.js')).showSettings((await run('settings')).result),
}

let isRouting = false
const selectTab = tabs(find('tabs'), id => { if (!isRouting) location.hash = `#/${id.replace('-tab', '')}` })

/** Shows the place that the address names, such as `#/users/ada@example.com`. */
async function route() {
  if (!isOpen || !isPlace(location.hash)) return
  try {
    const [place = 'overview', name] = location.hash.split('/').slice(1).map(decodeURIComponent)
    if (!(place in show)) return location.replace('#/overview')
    isRouting = true
    selectTab(`${place}-tab`)
    isRouting = false
    await show[place](name)
  } catch (error) {
    say(find('result'), `✗ ${error.message}`, 'bad')
  }
}

// MARK: - The page

async function start() {
  try {
    await open()
    await run('status')
  } catch (error) {
    return end(error.message)
  }
  isOpen = true
  find('content').hidden = find('close').hidden = false
  check()
  await Promise.all([look(), route()])
}

document.addEventListener('visibilitychange', look)
find('check').addEventListener('click', check)
find('close').addEventListener('click', async () => {
  try {
    await close()
    end('The page is closed. For a new link, run selfie-server owner.')
  } catch (error) {
    say(find('state'), error.message, 'bad')
  }
})
// Another link in a tab that has the page already, or another place.
addEventListener('hashchange', () => isPlace(location.hash) ? route() : start())
prepareBackup()
start()
