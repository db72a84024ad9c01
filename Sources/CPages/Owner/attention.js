// The alarms: red for what is broken, amber for what will break, or one green line. The dot has the color of the worst.
import {element, find, say} from './dom.js'
import {counted, timeOfDay} from './format.js'
import {downloadBackup} from './server.js'
import {copies} from './widgets.js'

const maxFindings = 3
/** The kinds of findings with which no photo is lost. */
const harmless = ['stale_upload', 'removal_pending', 'orphan_file', 'permissions', 'unusable_session', 'wrong_byte_count']

/** What the server says. */
const ofStatus = ({attention}) => attention.map(({severity, subject, message, time, since, command}) => ({
  kind: severity === 'error' ? 'bad' : 'warn',
  text: `${message} (${since ? `since ${timeOfDay(since)}` : `last at ${timeOfDay(time)}`})`,
  link: links[subject], backup: subject === 'backup', command: links[subject] || subject === 'backup' ? '' : command,
}))

const links = {
  requests: ['#/why', 'Show the requests'], setting: ['#/settings', 'Show the settings'],
  certificate: ['/pages/docs.html?HTTPS.md', 'How to renew it'],
}

/** What doctor's quick check found, but for the disk and `photos`, which have alarms already. */
function ofCheck(findings, command, photos) {
  const found = findings.filter(({kind, subject}) => kind !== 'free_space' && !photos.some(id => subject?.endsWith(id)))
  const shown = found.slice(0, maxFindings).map(({kind, subject, message}) => ({
    kind: harmless.includes(kind) ? 'warn' : 'bad',
    text: `${subject ? `${subject}: ` : ''}${message} (found at ${timeOfDay(findings.time)})`,
    command: kind ? `${command} doctor` : '',
  }))
  const rest = (findings.total ?? findings.length) - findings.length + found.length - shown.length
  if (rest > 0) shown.push({kind: shown[0].kind, text: `${counted(rest, 'more finding')}.`, command: `${command} doctor`})
  return shown
}

let shownText = ''

/** Shows the problems. `findings` are those of doctor's quick check; null while it runs. */
export function showAttention(status, findings, command) {
  const photos = status.attention.map(({photo}) => photo).filter(Boolean)
  const list = [...ofStatus(status), ...ofCheck(findings ?? [], command, photos)]
    .sort((a, b) => a.kind.localeCompare(b.kind))
  const worst = list[0]?.kind ?? 'good'
  const state = `Running, version ${status.version}${list.length ? `: ${counted(list.length, 'alarm')}` : ''}`
  // A live region that is written again would be read out again.
  if (find('state').textContent !== state) say(find('state'), state, worst)
  if (!findings) list.push({kind: '', text: 'Checking the storage …'})
  // In the place of that line, so that nothing moves.
  else if (!findings.length) {
    const checked = findings.time ? ` The storage was checked at ${timeOfDay(findings.time)}.` : ''
    list.push(list.length ? {kind: '', text: `The storage is in order.${checked}`}
      : {kind: 'good', text: `Everything is in order.${checked}`})
  }
  const text = JSON.stringify(list)
  if (text === shownText) return
  shownText = text
  find('attention').replaceChildren(...list.map(item))
}

function item({kind, text, link, backup, command}) {
  const copy = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(copy, () => command)
  return element('li', {class: kind}, element('span', {}, text),
    ...link ? [element('a', {href: link[0]}, link[1])] : [],
    ...backup ? [element('button', {type: 'button', class: 'plain small', onclick: downloadBackup}, 'Back up now')] : [],
    ...command ? [element('code', {}, command), copy] : [])
}
