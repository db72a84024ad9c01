// The list of keys.
import {element} from './dom.js'

const keys = [
  ['j, k', 'The next older, the next newer request'], ['/', 'Filter'], ['Esc', 'Close the request'], ['?', 'This list'],
]
const dialog = element('dialog', {id: 'keys', 'aria-labelledby': 'keys-title'},
  element('h2', {id: 'keys-title'}, 'Keys'),
  element('dl', {}, ...keys.flatMap(([key, text]) => [element('dt', {}, key), element('dd', {}, text)])),
  element('form', {method: 'dialog', class: 'row end'}, element('button', {class: 'plain'}, 'Close')))
document.body.append(dialog)

export const show = () => dialog.showModal()
