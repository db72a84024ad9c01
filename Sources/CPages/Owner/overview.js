// The figures of this moment.
import {element, find} from './dom.js'
import {bytes, number, span, timeOfDay} from './format.js'

/** An upper bound, within a factor of two. */
function most(microseconds) {
  if (microseconds == null) return '–'
  const steps = microseconds < 10_000 ? 10 : 1
  return `< ${number(Math.ceil(microseconds * steps / 1000) / steps)} ms`
}

export function showNow(status, {requests, backup}) {
  const facts = [
    ['Users', number(status.users), status.disabled_users ? `${number(status.disabled_users)} disabled` : ''],
    ['Photos', number(status.photos), bytes(status.bytes)],
    ...status.free_bytes == null ? [] : [
      ['Database', bytes(status.database_bytes), ''],
      ['Free disk space', bytes(status.free_bytes), `of ${bytes(status.disk_bytes)}`],
      ['Last backup', backup?.time ? `${span(Math.max(0, Date.now() - Date.parse(backup.time)))} ago` : 'None',
        backup?.time ? `${bytes(backup.bytes)}${backup.verified ? ', verified' : ''}` : ''],
    ],
    ['Requests', `${number(Math.round(requests.count / requests.seconds * 10) / 10)} / s`, ''],
    ['Median response', most(requests.median), ''],
    ['99th percentile', most(requests.p99), ''],
    ['Refused sign-ins', number(status.refused_sign_ins), 'since the start'],
    ['Running for', span(status.uptime * 1000), `since ${timeOfDay(status.started_at)}`],
  ]
  find('facts').replaceChildren(...facts.map(([name, value, more]) => element('div', {},
    element('dt', {}, name), element('dd', {}, value), ...more ? [element('dd', {class: 'faint'}, more)] : [])))
  find('measured').textContent = 'Requests and response times are measured only while this page is open: here, over the last '
    + `${span(requests.seconds * 1000)}. Times are upper bounds.`
}
