// The figures of this moment.
import {element, find} from './dom.js'
import {bytes, number, span, timeOfDay} from './format.js'

export function showNow(status, {backup}) {
  const facts = [
    ['Users', number(status.users), status.disabled_users ? `${number(status.disabled_users)} disabled` : ''],
    ['Photos', number(status.photos), bytes(status.bytes)],
    ...status.free_bytes == null ? [] : [
      ['Database', bytes(status.database_bytes), ''],
      ['Free disk space', bytes(status.free_bytes), `of ${bytes(status.disk_bytes)}`],
      ['Last backup', backup?.time ? `${span(Math.max(0, Date.now() - Date.parse(backup.time)))} ago` : 'None',
        backup?.time ? `${bytes(backup.bytes)}${backup.verified ? ', verified' : ''}` : ''],
    ],
    ['Refused sign-ins', number(status.refused_sign_ins), 'since the start'],
    ['Running for', span(status.uptime * 1000), `since ${timeOfDay(status.started_at)}`],
  ]
  find('facts').replaceChildren(...facts.map(([name, value, more]) => element('div', {},
    element('dt', {}, name), element('dd', {}, value), ...more ? [element('dd', {class: 'faint'}, more)] : [])))
}
