import './frame.js'
import {allWorlds, control, hasWorld, shown} from './control.js'
import {element, find} from './dom.js'
import {counted} from './format.js'
import {away} from './notice.js'
import {address, fold, markTurn, prepare} from './requests.js'
import {countFaults, showClock} from './state.js'
import {tabs} from './widgets.js'

const maxShown = 500
const pollInterval = 500
const worldInterval = 2000

let isPaused = false
/** Counts the changes of world, so that responses about another world are dropped. */
let turn = 0
/** The exchanges of the list, the newest first, each with its world and its row. */
let entries = []
let waiting = []
let open = null
const nothingOpen = find('opened').firstElementChild

// MARK: - Requests as they arrive

/** Lists the requests of the world that is shown, or of all, and those that come. */
async function follow() {
  const mine = ++turn
  entries = []
  waiting = []
  find('requests').replaceChildren()
  filter()
  const isCurrent = () => mine === turn
  const last = new Map()
  while (isCurrent()) {
    await attempt(isCurrent, async () => {
      const names = hasWorld() ? [shown.world] : ['', ...(await control('worlds', 'GET', undefined, '')).worlds]
      const [show, found] = [last.size ? receive : add, []]
      // One after the other: a browser has only six connections to a server.
      for (const world of names) {
        const {requests, last_id} = await control(
          `requests?since=${last.get(world) ?? 0}&limit=${maxShown}`, 'GET', undefined, world)
        if (!isCurrent()) return
        // After a restart, the numbers begin again.
        if (last_id < last.get(world)) return void follow()
        last.set(world, last_id)
        found.push(...requests.map(exchange => ({world, exchange})))
      }
      // In one world they are in order, whatever its clock shows.
      show(hasWorld() ? found : found.sort((a, b) => a.exchange.time.localeCompare(b.exchange.time)))
    })
    await sleep(pollInterval)
  }
}

/** Runs a request, says in the bar whether it succeeded, and returns that. */
async function attempt(isCurrent, action) {
  try {
    await action()
    away(false)
    if (isCurrent()) showState()
  } catch (error) {
    away(Boolean(error.isAway))
    if (isCurrent()) report(error.isAway ? 'Not connected' : error.message, 'bad')
    await sleep(2000)
    return false
  }
  return true
}

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

function receive(found) {
  if (isPaused) waiting.push(...found)
  else if (found.length) add(found)
  if (!hasWorld() || !found.length) return
  if (found.some(({exchange: {method, status}}) => method !== 'GET' && status < 300) || tab === 'faults-tab') refresh()
  else countFaults().catch(() => {})
}

function add(found) {
  for (const entry of found) prepare(entry, () => select(entry))
  found.reverse()
  find('requests').prepend(...found.map(entry => entry.row))
  entries = [...found, ...entries]
  if (hasWorld()) for (const [index, entry] of found.entries()) if (entries[index + 1]) markTurn(entry, entries[index + 1])
  for (const {row, turn} of entries.splice(maxShown)) {
    row.remove()
    turn?.remove()
  }
  const asked = parameters().get('id')
  if (!open && asked) {
    const entry = found.find(({exchange}) => String(exchange.id) === asked)
    if (entry) select(entry)
  }
  filter()
}

function report(text, kind) {
  const live = find('live')
  // A screen reader would read it again.
  if (live.textContent === text) return
  live.textContent = text
  live.className = kind
}

async function showState() {
  report(isPaused ? 'Paused' : 'Live', isPaused ? 'warn' : 'good')
  if (entries.length || !find('empty').hidden) return
  await import('./first.js')
  find('empty').hidden = entries.length > 0
}

// MARK: - The list

const visible = () => entries.filter(({row}) => !row.hidden)

function filter() {
  const words = find('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
  const status = find('status-filter').value
  for (const entry of entries) {
    const {exchange, row, text} = entry
    const isOfStatus = !status || (exchange.status == null ? status === 'none' : String(exchange.status)[0] === status)
    entry.isMatching = isOfStatus && words.every(word => text.includes(word))
    row.hidden = !entry.isMatching
  }
  const left = entries.filter(({isMatching}) => isMatching)
  fold(left, open)
  for (const {turn} of entries) if (turn) turn.hidden = left.length < entries.length
  if (entries.length) find('empty').hidden = true
  find('no-match').hidden = !entries.length || left.length > 0
  find('total').textContent = left.length < entries.length
    ? `${left.length} of ${counted(entries.length, 'request')}` : counted(left.length, 'request')
  find('clear').disabled = !entries.length || !hasWorld()
  // Tab leads to one row, the arrow keys to the others.
  const first = left.includes(open) ? open : left[0]
  for (const entry of entries) entry.row.querySelector('a').tabIndex = entry === first ? 0 : -1
}

async function select(entry) {
  open?.row.querySelector('a').removeAttribute('aria-current')
  open = entry
  if (entry) entry.row.querySelector('a').setAttribute('aria-current', 'true')
  keepInAddress()
  filter()
  find('mail').classList.toggle('reading', entry != null)
  if (!entry) return find('opened').replaceChildren(nothingOpen)
  const {opened} = await import('./opened.js')
  if (open !== entry) return
  find('opened').replaceChildren(...opened(entry, close))
  find('opened').scrollTop = 0
}

function close() {
  const link = open?.row.querySelector('a')
  select(null)
  link?.focus()
}

function keepInAddress() {
  history.replaceState(null, '', address({
    world: shown.world, q: find('filter').value.trim(), status: find('status-filter').value, id: open?.exchange.id,
  }))
}

const parameters = () => new URLSearchParams(location.search)

// MARK: - Worlds

let known = []
const title = name => name === allWorlds ? 'All worlds' : name || 'main'

async function showWorlds() {
  const {worlds} = await control('worlds', 'GET', undefined, '')
  known = worlds
  find('world').replaceChildren(...['', ...worlds, allWorlds].map(name =>
    element('option', {value: name, selected: name === shown.world}, title(name))))
  if (!find('worlds-panel').hidden) await show['worlds-tab']()
}

/** Shows the worlds again if one was created or ended. */
async function lookForWorlds() {
  const {worlds} = await control('worlds', 'GET', undefined, '')
  if (worlds.join() !== known.join()) await showWorlds()
}

function enter(name) {
  shown.world = name
  select(null)
  showWorld()
  showWorlds()
}

/** Shows a world from the beginning. All worlds together have requests only. */
function showWorld() {
  for (const id of ['clock', 'faults-tab', 'data-tab']) find(id).hidden = !hasWorld()
  for (const cell of document.querySelectorAll('th.world')) cell.hidden = hasWorld()
  if (!hasWorld()) selectTab('requests-tab')
  follow()
  if (hasWorld()) refresh()
}

// MARK: - The page

/** The panels besides the requests. Each is loaded when it is shown first. */
const show = {
  'faults-tab': async () => (await import('./faults.js')).draw(),
  'data-tab': async () => (await import('./data.js')).draw(),
  'worlds-tab': async () => (await import('./worlds.js')).draw({
    names: ['', ...known], title,
    open(name) {
      enter(name)
      selectTab('requests-tab')
    },
    ended: name => name === shown.world ? enter('') : showWorlds(),
  }),
}

let tab
const selectTab = tabs(find('tabs'), async id => {
  tab = id
  const panel = document.querySelector('[role=tabpanel]:not([hidden])')
  // Its controls do nothing before it is loaded.
  panel.inert = true
  await show[tab]?.()
  panel.inert = false
})

/** Shows the current state of the world. */
function refresh() {
  showClock()
  countFaults().catch(() => {})
  if (tab !== 'worlds-tab') show[tab]?.()
}

find('filter').value = parameters().get('q') ?? ''
find('status-filter').value = parameters().get('status') ?? ''
for (const id of ['filter', 'status-filter']) {
  find(id).addEventListener('input', () => {
    filter()
    keepInAddress()
  })
}
find('world').addEventListener('change', event => enter(event.target.value))
find('pause').addEventListener('click', () => {
  isPaused = !isPaused
  find('pause').textContent = isPaused ? 'Continue' : 'Pause'
  showState()
  if (!isPaused) add(waiting.splice(0))
})
find('clear').addEventListener('click', async () => {
  await control('requests', 'DELETE')
  entries = []
  waiting = []
  find('requests').replaceChildren()
  select(null)
  showState()
})
find('requests').addEventListener('keydown', event => {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
  if (!step) return
  event.preventDefault()
  const list = visible()
  const next = list[list.findIndex(({row}) => row.contains(document.activeElement)) + step]
  if (!next) return
  // On a phone the request would take the place of the list.
  if (find('opened').checkVisibility()) select(next)
  next.row.querySelector('a').focus()
})
find('opened').addEventListener('keydown', event => { if (event.key === 'Escape') close() })
const showKeys = () => find('keys').showModal()

document.addEventListener('keydown', event => {
  const {key, target} = event
  if (event.metaKey || event.ctrlKey || event.altKey || target.closest('input, textarea, select, dialog[open]')) return
  if (key === '?') showKeys()
  if (tab !== 'requests-tab') return
  if (key === '/') {
    event.preventDefault()
    find('filter').focus()
  }
  const step = {j: 1, k: -1}[key]
  if (!step) return
  const list = visible()
  const next = list[open ? list.indexOf(open) + step : 0]
  if (!next) return
  select(next)
  next.row.scrollIntoView({block: 'nearest'})
})
find('show-keys').addEventListener('click', showKeys)
for (const button of document.querySelectorAll('[data-clock]')) {
  button.addEventListener('click', () => showClock(JSON.parse(button.dataset.clock)))
}
selectTab('requests-tab')
showWorld()
showWorlds()
setInterval(() => lookForWorlds().catch(() => {}), worldInterval)
