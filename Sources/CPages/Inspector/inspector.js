import {element, find} from './dom.js'
import {prepare, refresh, showClock} from './panels.js'
import {item} from './requests.js'

const maxShown = 500
let world = ''
let isPaused = false
/** Counts the changes of world, so that what was asked for another world is not shown. */
let turn = 0
let last = 0
let waiting = []

/** A request to the control interface, for the world that is shown. Throws what the interface refuses. */
export async function control(path, method = 'GET', body, of = world) {
  const response = await fetch(`/__admin/${path}`, {
    method, cache: 'no-store', body: body && JSON.stringify(body),
    headers: {Accept: 'application/json', ...of && {'X-Test-World': of}, ...body && {'Content-Type': 'application/json'}},
  })
  const json = await response.json()
  if (!response.ok) throw new Error(json.message)
  return json
}

// MARK: - Requests as they arrive

async function follow() {
  const mine = ++turn
  find('requests').replaceChildren()
  waiting = []
  try {
    const {requests, last_id} = await control('requests?limit=200')
    if (mine !== turn) return
    last = last_id
    show(requests)
    report(isPaused ? 'Paused' : 'Live', isPaused ? 'warn' : 'good')
  } catch (error) {
    report(error.message, 'bad')
  }
  while (mine === turn) {
    try {
      const events = await nextEvents()
      if (mine !== turn) return
      report(isPaused ? 'Paused' : 'Live', isPaused ? 'warn' : 'good')
      if (!events.length) continue
      if (isPaused) waiting.push(...events)
      else show(events)
      if (events.some(({method, status}) => method !== 'GET' && status < 300)) refresh()
    } catch (error) {
      report(`Not connected: ${error.message}`, 'bad')
      await new Promise(resolve => setTimeout(resolve, 2000))
    }
  }
}

/** The next server-sent events. By fetch and not by EventSource, which cannot name a world. */
async function nextEvents() {
  const response = await fetch('/__admin/requests/events', {
    cache: 'no-store', headers: {Accept: 'text/event-stream', 'Last-Event-ID': last, ...world && {'X-Test-World': world}},
  })
  if (!response.ok) throw new Error((await response.json()).message)
  const events = (await response.text()).split('\n').filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice('data: '.length)))
  if (events.length) last = events.at(-1).id
  return events
}

function show(exchanges) {
  const list = find('requests')
  list.prepend(...exchanges.map(exchange => item(exchange, world)).reverse())
  while (list.children.length > maxShown) list.lastChild.remove()
  filter()
}

function filter() {
  const words = find('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of find('requests').children) {
    const text = entry.querySelector('summary').textContent.toLowerCase()
    entry.hidden = !words.every(word => text.includes(word))
  }
  find('empty').hidden = find('requests').children.length > 0
}

function report(text, kind) {
  const live = find('live')
  // Unchanged, a screen reader would read it again with each event.
  if (live.textContent === text) return
  live.textContent = text
  live.className = kind
}

// MARK: - Worlds

let known = []
const worldInterval = 2000

async function showWorlds() {
  const {worlds} = await control('worlds', 'GET', undefined, '')
  known = worlds
  const names = ['', ...worlds]
  find('world').replaceChildren(...names.map(name =>
    element('option', {value: name, selected: name === world}, name || 'main')))
  find('worlds').replaceChildren(...await Promise.all(names.map(async name => {
    const [clock, {matched}] = await Promise.all([
      control('clock', 'GET', undefined, name), control('requests?limit=0', 'GET', undefined, name),
    ])
    return element('li', {},
      element('strong', {}, name || 'main'),
      element('span', {class: 'faint'}, `${matched} request${matched === 1 ? '' : 's'}, ${showClock(clock)}`),
      element('span', {class: 'buttons'},
        element('button', {type: 'button', class: 'plain small', onclick: () => enter(name)}, `Open ${name || 'main'}`),
        ' ',
        name && element('button', {type: 'button', class: 'plain small', onclick: () => end(name)}, `End ${name}`)))
  })))
}

/** Shows the worlds again if one was made or ended. */
async function lookForWorlds() {
  const {worlds} = await control('worlds', 'GET', undefined, '')
  if (worlds.join() !== known.join()) await showWorlds()
}

async function end(name) {
  await control(`worlds/${encodeURIComponent(name)}`, 'DELETE', undefined, '')
  if (name === world) return enter('')
  await showWorlds()
}

async function enter(name) {
  world = name
  follow()
  refresh()
  await showWorlds()
}

// MARK: - The page

find('base').textContent = `${location.origin}/api`
find('filter').addEventListener('input', filter)
find('world').addEventListener('change', event => enter(event.target.value))
find('pause').addEventListener('click', () => {
  isPaused = !isPaused
  find('pause').setAttribute('aria-pressed', isPaused)
  report(isPaused ? 'Paused' : 'Live', isPaused ? 'warn' : 'good')
  if (!isPaused) show(waiting.splice(0))
})
find('clear').addEventListener('click', async () => {
  await control('requests', 'DELETE')
  waiting = []
  find('requests').replaceChildren()
  filter()
})
find('reload-worlds').addEventListener('click', showWorlds)
prepare(control, showWorlds)
follow()
refresh()
showWorlds()
// Without a server there is nothing to look for; the line at the top says so.
setInterval(() => lookForWorlds().catch(() => {}), worldInterval)
