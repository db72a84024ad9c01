// Tables, and regions that are drawn again.
import {element} from './dom.js'
import {span, time} from './format.js'

/** A time as `3 h ago`, with the exact one when the pointer rests on it. */
export const ago = date => element('time', {datetime: date, title: time(date)}, `${span(Math.max(0, Date.now() - Date.parse(date)))} ago`)

/**
 * A table. A column is its title and the class of its cells; `unseen` as a third element hides the title. A row is a list
 * of texts and elements; one that is a text alone is the title of the rows after it.
 */
export function table(caption, columns, rows) {
  return element('table', {'aria-label': caption},
    element('thead', {}, element('tr', {}, ...columns.map(([title, kind, unseen]) =>
      element('th', {scope: 'col', class: kind}, unseen ? element('span', {class: unseen}, title) : title)))),
    element('tbody', {}, ...rows.map(row => element('tr', {}, ...typeof row === 'string'
      ? [element('th', {scope: 'colgroup', colspan: columns.length}, row)]
      : row.map((cell, index) => element('td', {class: columns[index][1]}, cell))))))
}

/** Replaces the content of a region. The focus stays on the same control or, if that is gone, on the one in its place. */
export function replace(region, ...children) {
  const controls = () => [...region.querySelectorAll('button:not(.menu button), a')]
  const before = controls()
  const place = before.indexOf(document.activeElement)
  region.replaceChildren(...children)
  if (place < 0) return
  const after = controls()
  const name = control => control.ariaLabel ?? control.textContent
  const same = after.find(control => name(control) === name(before[place]))
  ;(same ?? after[Math.min(place, after.length - 1)] ?? region).focus()
}
