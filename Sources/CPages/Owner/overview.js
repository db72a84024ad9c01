// The figures of this moment: three large ones, and the rest in a line.
import {element, find} from './dom.js'
import {bytes, number, span, timeOfDay} from './format.js'

export function showNow(status) {
  const hasDisk = status.free_bytes != null
  const large = [
    ['Users', number(status.users), status.disabled_users ? `${number(status.disabled_users)} disabled` : ''],
    ['Photos', number(status.photos), bytes(status.bytes)],
    hasDisk ? ['Free disk space', bytes(status.free_bytes), `of ${bytes(status.disk_bytes)}`]
      : ['Running for', span(status.uptime * 1000), `since ${timeOfDay(status.started_at)}`],
  ]
  find('facts').replaceChildren(...large.map(([name, value, more]) => element('div', {},
    element('dt', {}, name), element('dd', {}, value), element('dd', {class: 'faint'}, more || '\u00a0'))))
  const rest = [
    hasDisk && `Database: ${bytes(status.database_bytes)}`,
    hasDisk && `Last backup: ${status.last_backup ? `${span(Math.max(0, Date.now() - Date.parse(status.last_backup)))} ago` : 'none'}`,
    `Refused sign-ins since the start: ${number(status.refused_sign_ins)}`,
    hasDisk && `Running for ${span(status.uptime * 1000)}, since ${timeOfDay(status.started_at)}`,
  ]
  find('rest').textContent = rest.filter(Boolean).join(' · ')
}
