import './frame.js'
import {allWorlds, control, hasWorld, nextEvents, shown} from './control.js'
import {element, find} from './dom.js'
import {counted} from './format.js'
import {address, row} from './requests.js'
import {countFaults, showClock} from './state.js'
import {tabs} from './widgets.js'

const maxShown = 500
const pollInterval = 1000
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

async function follow() {
  const mine = ++turn
  entries = []
  waiting = []
  find('requests').replaceChildren()
  filter()
  const isCurrent = () => mine === turn
  await (shown.world === allWorlds ? followAll(isCurrent) : followOne(isCurrent))
}

async function followOne(isCurrent) {
  const {world} = shown
  let last
  await attempt(isCurrent, async () => {
    const {requests, last_id} = await control(`requests?limit=${maxShown}`)
    if (!isCurrent()) return
    last = last_id
    add(requests.map(exchange => ({world, exchange})))
  })
  while (isCurrent()) {
    await attempt(isCurrent, async () => {
      const events = await nextEvents(last ?? 0)
      if (!isCurrent() || !events.length) return
      last = events.at(-1).id
      receive(events.map(exchange => ({world, exchange})))
    })
  }
}

/** Asks one world after the other: a browser has only six connections to a server. */
async function followAll(isCurrent) {
  const last = new Map()
  while (isCurrent()) {
    await attempt(isCurrent, async () => {
      const {worlds} = await control('worlds', 'GET', undefined, '')
      const found = []
      for (const world of ['', ...worlds]) {
        const {requests, last_id} = await control(
          `requests?since=${last.get(world) ?? 0}&limit=${maxShown}`, 'GET', undefined, world)
        if (!isCurrent()) return
        last.set(world, last_id)
        found.push(...requests.map(exchange => ({world, exchange})))
      }
      receive(found.sort((a, b) => a.exchange.time.localeCompare(b.exchange.time)))
    })
    await sleep(pollInterval)
  }
}

/** Runs a request and says in the bar whether it succeeded. */
async function attempt(isCurrent, action) {
  try {
    await action()
    if (isCurrent()) showState()
  } catch (error) {
    if (isCurrent()) report(`Not connected: ${error.message}`, 'bad')
    await sleep(2000)
  }
}

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

function receive(found) {
  if (isPaused) waiting.push(...found)
  else if (found.length) add(found)
  if (hasWorld() && found.some(({exchange: {method, status}}) => method !== 'GET' && status < 300)) refresh()
}

function add(found) {
  for (const entry of found) entry.row = row(entry, () => select(entry))
  found.reverse()
  find('requests').prepend(...found.map(entry => entry.row))
  entries = [...found, ...entries]
  for (const {row} of entries.splice(maxShown)) row.remove()
  const asked = parameters().get('id')
  if (!open && asked) {
    const entry = found.find(({exchange}) => String(exchange.id) === asked)
    if (entry) select(entry)
  }
  filter()
}

function report(text, kind) {
  const live = find('live')
  // Unchanged, a screen reader would read it again with each event.
  if (live.textContent === text) return
  live.textContent = text
  live.className = kind
}

const showState = () => report(isPaused ? 'Paused' : 'Live', isPaused ? 'warn' : 'good')

// MARK: - The list

const visible = () => entries.filter(({row}) => !row.hidden)

function filter() {
  const words = find('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
  const status = find('status-filter').value
  for (const {exchange, world, row} of entries) {
    const text = `${exchange.method} ${exchange.path} ${exchange.status ?? ''} ${world}`.toLowerCase()
    const isOfStatus = !status || (exchange.status == null ? status === 'none' : String(exchange.status)[0] === status)
    row.hidden = !isOfStatus || !words.every(word => text.includes(word))
  }
  const left = visible()
  find('empty').hidden = entries.length > 0
  find('no-match').hidden = !entries.length || left.length > 0
  find('total').textContent = left.length < entries.length
    ? `${left.length} of ${counted(entries.length, 'request')}` : counted(left.length, 'request')
  find('save-all').disabled = !left.length
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

find('base').textContent = `${location.origin}/api`
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
})
find('save-all').addEventListener('click', async () => {
  const {save} = await import('./har.js')
  save(visible())
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
for (const button of document.querySelectorAll('[data-clock]')) {
  button.addEventListener('click', () => showClock(JSON.parse(button.dataset.clock)))
}
selectTab('requests-tab')
showWorld()
showWorlds()
// Without a server there is nothing to look for; the bar says so.
setInterval(() => lookForWorlds().catch(() => {}), worldInterval)
