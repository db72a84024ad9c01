// A card instead of a blank page. It says what happened and what to do, and has a command to copy.
import {element} from './dom.js'
import {copies} from './widgets.js'

let card
/** Whether the card is about a part that did not load. */
let isLacking = false

/** Shows a card above the content. Without a text, takes it away. */
export function notice(what, todo = '', command = '') {
  card?.remove()
  isLacking = false
  if (!what) return
  const copy = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(copy, () => command)
  card = element('section', {class: 'card notice', role: 'alert'}, element('h2', {}, what), element('p', {}, todo),
    ...command ? [element('div', {class: 'head'}, element('pre', {}, element('code', {}, command)), copy)] : [])
  document.querySelector('main').prepend(card)
}

/** Greys the content while the server does not respond. `command` starts it. */
export function away(isAway, command) {
  if (!isAway && isLacking) notice()
  if (document.body.classList.contains('away') === isAway) return
  document.body.classList.toggle('away', isAway)
  notice(isAway && 'The server does not respond', `It is restarting, or it has stopped. This page continues when the server is back.${command ? ' To start it:' : ''}`, command)
}

// Most likely a module that did not load.
addEventListener('unhandledrejection', () => {
  notice('A part of this page did not load', 'Try again when the server responds. If that does not help, reload the page.')
  isLacking = true
})
