// The list of requests.
import {allWorlds, shown} from './control.js'
import {element} from './dom.js'
import {shortened, time, timeOfDay} from './format.js'

/** The inspector's address with these parameters, except for the empty ones. */
export const address = parameters =>
  `?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value).map(([name, value]) => [name, value]))}`

export const kind = ({status}) => status == null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
export const chip = exchange => element('span', {class: `status ${kind(exchange)}`}, String(exchange.status ?? 'none'))

/** An exchange as a row of the list. */
export function row({world, exchange}, open) {
  const link = element('a', {
    href: address({world, id: exchange.id}), title: exchange.path,
    onclick: event => {
      // A new tab or window stays one.
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      open()
    },
  }, shortened(exchange.path))
  return element('tr', {'data-id': exchange.id},
    element('td', {class: 'faint time', title: time(exchange.time)}, timeOfDay(exchange.time)),
    element('td', {class: 'world', hidden: shown.world !== allWorlds}, world || 'main'),
    element('td', {}, element('span', {class: 'method'}, exchange.method)),
    element('td', {class: 'path'}, link,
      // On a phone the column of worlds has no room.
      ...shown.world === allWorlds ? [element('span', {class: 'in-world faint'}, world || 'main')] : []),
    element('td', {}, chip(exchange)),
    element('td', {class: 'number'}, exchange.duration_milliseconds.toLocaleString()))
}
