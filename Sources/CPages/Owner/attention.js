// What needs the owner's attention: what is broken in red, what will break in amber, or one green line.
import {element, find} from './dom.js'
import {counted, timeOfDay} from './format.js'

const maxFindings = 3
/** The kinds of findings with which no photo is lost. */
const harmless = ['stale_upload', 'removal_pending', 'orphan_file', 'permissions', 'unusable_session', 'wrong_byte_count']

/** What the server says, each with its kind and a text. */
function ofStatus({attention}) {
  return attention.map(({severity, message, time}) =>
    [severity === 'error' ? 'bad' : 'warn', message, ...time ? [` (${timeOfDay(time)})`] : []])
}

/** What doctor's quick check found. The disk is looked at all the time. */
function ofCheck(findings) {
  const found = findings.filter(({kind}) => kind !== 'free_space')
  const shown = found.slice(0, maxFindings)
    .map(({kind, subject, message}) => [harmless.includes(kind) ? 'warn' : 'bad', subject ? `${subject}: ${message}` : message])
  const rest = (findings.total ?? findings.length) - findings.length + found.length - shown.length
  if (rest > 0) shown.push([shown[0][0], `${counted(rest, 'more finding')}: run `, element('code', {}, 'selfie-server doctor')])
  return shown
}

let shownText = ''

/** Shows the problems. `findings` are those of doctor's quick check; null while it runs. */
export function showAttention(status, findings) {
  const list = [...ofStatus(status), ...ofCheck(findings ?? [])].sort(([a], [b]) => a.localeCompare(b))
  if (!findings) list.push(['', 'Checking the storage …'])
  if (!list.length) {
    const checked = findings.time ? ` The storage was checked at ${timeOfDay(findings.time)}.` : ''
    list.push(['good', `Everything is in order.${checked}`])
  }
  const items = list.map(([kind, ...content]) => element('li', {class: kind}, element('span', {}, ...content)))
  const text = items.map(item => item.className + item.textContent).join()
  // A live region that is written again would be read out again.
  if (text === shownText) return
  shownText = text
  find('attention').replaceChildren(...items)
}
