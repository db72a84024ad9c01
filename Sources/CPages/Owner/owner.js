// The owner's page: it begins a session with the link, shows its parts, and looks at the server each minute.
import './frame.js'
import {showAttention} from './attention.js'
import {showLastBackup} from './backup.js'
import {find, say} from './dom.js'
import {away, notice} from './notice.js'
import {showNow} from './overview.js'
import {Refusal, close, isPlace, open, run} from './server.js'
import {tabs} from './widgets.js'

const interval = 60_000
/** While the server is away. */
const shortInterval = 2_000
/** How long the page waits for a check, so that nothing moves when it is there. */
const patience = 1_500
let isOpen = false
let timer = 0
/** Whether a part that should be shown did not load. */
let lacksPart = false
/** What doctor's quick check found; null while it runs. */
let findings = null
/** What the server has last said of this moment. */
let activity = {}
/** What stands before the words of a command here. */
let command = 'selfie-server'

function end(what, todo, shown = `${command} owner`) {
  clearTimeout(timer)
  isOpen = false
  find('content').hidden = true
  say(find('state'), what, 'bad')
  say(find('result'), '')
  away(false)
  notice(what, todo, shown)
}

// MARK: - The state of the server

/** Asks for nothing while the page is hidden. */
async function look() {
  clearTimeout(timer)
  if (document.hidden || !isOpen) return
  let isAway = false
  try {
    activity = (await run('activity')).result
    command = activity.command
    away(false)
    if (lacksPart) {
      lacksPart = false
      say(find('result'), '')
      await route()
    }
    show.overview()
    if (!find('why-panel').hidden) await show.why()
  } catch (error) {
    if (hasEnded(error)) return
    isAway = error.status === 0
    away(isAway, activity.start)
    say(find('state'), isAway ? 'Not connected' : error.message, 'bad')
  }
  lookLater(isAway || lacksPart)
}

function lookLater(isSoon) {
  clearTimeout(timer)
  timer = setTimeout(look, isSoon ? shortInterval : interval)
}

/** Without a session the page may be gone as well. */
function hasEnded({status}) {
  const isEnd = status === 401 || status === 404
  if (isEnd) end('The session has ended', 'It ends after twelve hours, and when the server restarts. For a new link, run:')
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
    findings = status === 409 ? [] : Object.assign([{message: `The storage was not checked. ${message}`}], {time: Date.now()})
  }
  find('check').disabled = false
}

async function checkAgain() {
  await check()
  await look()
}

// MARK: - The parts of the page

/** Each is loaded when it is shown first. */
const show = {
  overview() {
    if (!activity.status) return
    showAttention(activity.status, findings, command)
    showNow(activity.status)
    showLastBackup(activity.status, activity.backup)
  },
  async users(email) {
    if (email) await (await import('./user.js')).showUser(email)
    else await (await import('./users.js')).showUsers()
  },
  photos: async () => (await import('./photos.js')).showPhotos(),
  why: async () => (await import('./why.js')).showRefusals(look),
  settings: async () => (await import('./reports.js')).showSettings((await run('settings')).result),
}

let isRouting = false
const selectTab = tabs(find('tabs'), id => { if (!isRouting) location.hash = `#/${id.replace('-tab', '')}` })

/** Shows the place that the address names, such as `#/users/ada@example.com` or `#/users?filter=disabled`. */
async function route() {
  if (!isOpen || !isPlace(location.hash)) return
  try {
    const [place = 'overview', name] = location.hash.split('?')[0].split('/').slice(1).map(decodeURIComponent)
    if (!(place in show)) return location.replace('#/overview')
    isRouting = true
    selectTab(`${place}-tab`)
    isRouting = false
    await show[place](name)
  } catch (error) {
    if (hasEnded(error)) return
    if (error.status === 0) return look()
    if (error instanceof Refusal) return say(find('result'), `✗ ${error.message}`, 'bad')
    // A module did not load, because the server is away, or because another version has taken its place.
    lacksPart = true
    say(find('result'), '✗ This part of the page did not load. It opens when the server responds; otherwise reload the page.', 'bad')
    lookLater(true)
  }
}

// MARK: - The page

async function start() {
  try {
    await open()
    activity = (await run('activity')).result
  } catch (error) {
    const [message, printed] = error.message.split(/ For a new (?:one|link), run (.*)\.$/)
    if (error.status === 0) {
      setTimeout(start, shortInterval)
      return notice('The server does not respond', 'This page opens when it does.')
    }
    return end(printed && message.startsWith('This link') ? 'This link does not open the page' : 'The page is closed',
      `${message}${printed ? ' For a new one, run:' : ''}`, printed)
  }
  notice()
  command = activity.command
  isOpen = true
  const checked = check()
  await Promise.race([checked, new Promise(resolve => setTimeout(resolve, patience))])
  show.overview()
  find('content').hidden = false
  timer = setTimeout(look, interval)
  await route()
  await checked
  show.overview()
}

document.addEventListener('visibilitychange', look)
find('check').addEventListener('click', checkAgain)
find('close').addEventListener('click', async () => {
  try {
    await close()
    end('The page is closed.', 'For a new link, run:')
  } catch (error) {
    say(find('state'), error.message, 'bad')
  }
})
// Another link in a tab that has the page already, or another place.
addEventListener('hashchange', () => isPlace(location.hash) ? route() : start())
start()
