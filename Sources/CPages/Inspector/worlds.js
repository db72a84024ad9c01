// The list of worlds.
import {control} from './control.js'
import {element, find} from './dom.js'
import {clockText} from './state.js'
import {confirm, menu} from './widgets.js'

/**
 * - names: of the worlds, the main one first.
 * - title: shows the name of one.
 * - open: shows the requests of a world.
 * - ended: is called after a world was ended.
 */
export async function draw({names, title, open, ended}) {
  const rows = await Promise.all(names.map(async name => {
    const [clock, {matched}] = await Promise.all([
      control('clock', 'GET', undefined, name), control('requests?limit=0', 'GET', undefined, name),
    ])
    return element('tr', {},
      element('th', {scope: 'row'}, title(name)), element('td', {class: 'number'}, matched.toLocaleString()),
      element('td', {}, clockText(clock)),
      element('td', {class: 'number'}, menu(title(name), ['Show its requests', () => open(name)],
        ...name ? [['End', () => end(name, ended), 'danger']] : [])))
  }))
  find('worlds').replaceChildren(...rows)
}

async function end(name, ended) {
  if (!await confirm('End the world', `The world ${name} will end, with its users, photos and requests.`, 'End')) return
  await control(`worlds/${encodeURIComponent(name)}`, 'DELETE', undefined, '')
  ended(name)
}
