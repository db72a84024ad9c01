// What needs the owner's attention: what is broken in red, what will break in amber, or one green line.
import {element, find} from './dom.js'
import {bytes, counted, span, time, timeOfDay} from './format.js'

const day = 86_400_000
const maxFindings = 3
/** The kinds of findings with which no photo is lost. */
const harmless = ['stale_upload', 'removal_pending', 'orphan_file', 'permissions', 'unusable_session', 'wrong_byte_count']

/** The problems, each with its kind and a text or elements. */
function problems(status, activity, findings, now) {
  const isRecent = ({time}) => now - Date.parse(time) < day
  return [
    ...ofBackup(status, activity), ...ofDisk(status), ...ofCertificate(activity.certificate_end, now),
    ...ofRequests(activity.errors.filter(isRecent)), ...ofLog(activity.warnings.filter(isRecent)),
    ...ofCheck(findings ?? []),
  ].sort(([a], [b]) => a.localeCompare(b))
}

function ofBackup({free_bytes: free, last_backup: last, backup_error: error}, {backup}) {
  // Other tools back up the database of a cluster.
  if (free == null) return []
  if (!backup) {
    return [['warn', 'No backups are made automatically. Set ', element('code', {}, 'BACKUP_DIR'),
      ' to a folder on another disk, and restart the server.']]
  }
  if (error) return [['bad', `The last backup failed or is incomplete. ${error}`]]
  return last ? [] : [['warn', 'There is no backup yet. The server is making the first one.']]
}

/** Under the shares of the disk below which doctor complains, and twice as much. */
function ofDisk({free_bytes: free, disk_bytes: disk}) {
  if (free == null || free >= disk * 0.1 && free >= 2 ** 31) return []
  const isLow = free < disk * 0.05 || free < 2 ** 30
  return [[isLow ? 'bad' : 'warn',
    `The disk is nearly full: ${bytes(free)} of ${bytes(disk)} are free. On a full disk, uploads are refused.`]]
}

function ofCertificate(end, now) {
  const left = Date.parse(end) - now
  if (!end || left > 14 * day) return []
  return [left <= 0
    ? ['bad', `The certificate expired on ${time(end)}. Clients do not connect. Renew it.`]
    : ['warn', `The certificate ends in ${span(left)}, on ${time(end)}. Renew it.`]]
}

const toLog = () => element('a', {href: '#/log'}, 'See the log')

function ofRequests(errors) {
  if (!errors.length) return []
  const [{time, method, path, status}] = errors
  const request = method ? `${method} ${path} got ${status}` : `${status} for one that could not be read`
  return [['bad', `The server failed ${counted(errors.length, 'request')} in the last 24 h. `
    + `The last, at ${timeOfDay(time)}: ${request}. `, toLog()]]
}

function ofLog(warnings) {
  // Of the backup there is a line already.
  const lines = warnings.filter(({message}) => !message.startsWith('the backup failed'))
  if (!lines.length) return []
  const [{time, message}] = lines
  const isError = lines.some(({level}) => level !== 'warning')
  return [[isError ? 'bad' : 'warn', `The log has ${counted(lines.length, isError ? 'problem' : 'warning')} of `
    + `the last 24 h. The last, at ${timeOfDay(time)}: ${message}. `, toLog()]]
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
export function showAttention(status, activity, findings) {
  const list = problems(status, activity, findings, Date.now())
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
