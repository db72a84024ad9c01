// The list of requests.
import {allWorlds, shown} from './control.js'
import {element} from './dom.js'
import {secretly, summary, why} from './exchange.js'
import {milliseconds, shortened, time, timeOfDay} from './format.js'
import {clockText} from './state.js'

/** The inspector's address with these parameters, except for the empty ones. */
export const address = parameters =>
  `?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value).map(([name, value]) => [name, value]))}`

export const kind = ({status}) => status == null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
export const chip = exchange => element('span', {class: `status ${kind(exchange)}`}, String(exchange.status ?? 'none'))

/** Makes the row of an exchange, and what it can be found by. */
export function prepare(entry, open) {
  const {world, exchange} = entry
  const told = summary(exchange)
  const isGood = !why(exchange) && !secretly(exchange)
  const text = `${exchange.method} ${exchange.path} ${exchange.status ?? ''} ${told} ${world}`
  entry.text = text.toLowerCase()
  entry.sort = isGood ? null : text + secretly(exchange)
  const link = element('a', {
    href: address({world, id: exchange.id}), title: exchange.path,
    onclick: event => {
      // A new tab or window stays one.
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      open()
    },
  }, shortened(exchange.path))
  entry.row = element('tr', {'data-id': exchange.id},
    element('td', {class: 'faint time', title: time(exchange.time)}, timeOfDay(exchange.time)),
    element('td', {class: 'world', hidden: shown.world !== allWorlds}, world || 'main'),
    element('td', {}, element('span', {class: 'method'}, exchange.method)),
    element('td', {class: 'path'}, link,
      ...told ? [element('span', {class: `why ${isGood ? 'faint' : kind(exchange) === 'bad' ? 'bad' : 'warn'}`, title: told}, told)] : [],
      // On a phone the column of worlds has no room.
      ...shown.world === allWorlds ? [element('span', {class: 'in-world faint'}, world || 'main')] : []),
    element('td', {}, chip(exchange)),
    element('td', {class: 'number'}, milliseconds(exchange.duration_milliseconds)))
}

/** Hides all but the newest of those in a row that failed alike, which gets their number. */
export function fold(entries, open) {
  for (let start = 0, end; start < entries.length; start = end) {
    end = start + 1
    while (entries[start].sort && entries[end]?.sort === entries[start].sort) end += 1
    const run = entries.slice(start, end)
    const isUnfolded = run.some(entry => entry.isUnfolded)
    for (const [index, entry] of run.entries()) {
      entry.isUnfolded = isUnfolded
      entry.row.hidden = index > 0 && !isUnfolded && entry !== open
      entry.row.querySelector('.times')?.remove()
    }
    if (run.length < 2 || isUnfolded) continue
    run[0].row.cells[4].append(element('button', {
      type: 'button', class: 'plain times', 'aria-label': `Show all ${run.length}`, onclick: () => {
        run[0].isUnfolded = true
        fold(entries, open)
      },
    }, `×${run.length}`))
  }
}

/** Puts a line between two requests if the clock was turned between them. A frozen clock falls behind by itself. */
export function markTurn(entry, older) {
  const [now, before] = [entry.exchange, older.exchange]
  const turned = now.ahead_milliseconds - before.ahead_milliseconds
  if (Math.abs(turned) < 60_000 || now.time === before.time) return
  entry.turn = element('tr', {class: 'turn'}, element('td', {colspan: 6, class: 'faint'},
    `The clock was turned: ${clockText({ahead_milliseconds: now.ahead_milliseconds})}`))
  entry.row.after(entry.turn)
}
