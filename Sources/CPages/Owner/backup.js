// The backups, and the app's constants.
import {element, find, say} from './dom.js'
import {bytes, time} from './format.js'
import {downloadBackup, run} from './server.js'

export function showLastBackup(status, backup) {
  const isCluster = status.free_bytes == null
  find('backup-row').hidden = isCluster
  // One that was made by hand elsewhere, or before a restore or another BACKUP_DIR.
  const isOther = status.last_backup && status.last_backup !== backup?.time
  find('last-backup').textContent = isCluster ? 'A cluster is backed up with the tools of PostgreSQL and of the object store.'
    : [
      !backup ? 'The server makes no automatic backups.'
        : backup.time
          ? `Last backup in BACKUP_DIR: ${time(backup.time)}, ${bytes(backup.bytes)}, ${backup.verified ? 'complete' : 'incomplete'}.`
          : 'There is no backup in BACKUP_DIR yet.',
      isOther && `Last complete backup anywhere: ${time(status.last_backup)}.`,
    ].filter(Boolean).join(' ')
  find('other-backups').replaceChildren(...(status.other_backups ?? []).map(other => element('li', {}, describe(other))))
  find('backup-size').textContent = `About ${bytes(status.bytes + status.database_bytes)}`
}

/** What the server does not remove. */
function describe({line, count, newest, bytes: size}) {
  const what = line ? `of line ${line}, from before a restore or of another copy that runs elsewhere`
    : 'tar archives of an earlier version'
  return `${count} other${count === 1 ? '' : 's'}, ${what}: the newest is ${newest}, ${bytes(size)}. `
    + `${line ? 'Remove one with selfie-server backup --delete.' : 'Delete them when you no longer need them.'}`
}

const inSwift = text => `"${text.replace(/["\\]/g, '\\$&')}"`

async function showConstants() {
  const {showSecret} = await import('./actions.js')
  try {
    const {result} = await run('constants')
    const note = result.public_url ? '' : ' The address is the one in your browser, because PUBLIC_URL is not set.'
    showSecret('The app’s constants', `Copy them into HTTPHelper.swift. The page forgets them when you close this.${note}`,
      `static let API_AUTH_NAME = ${inSwift(result.api_auth_name)}
static let API_AUTH_PASSWORD = ${inSwift(result.api_auth_password)}
static let BASE_URL = ${inSwift(`${result.public_url ?? location.origin}/api`)}`)
  } catch (error) {
    say(find('constants-result'), `✗ ${error.message}`, 'bad')
  }
}

find('back-up').addEventListener('click', downloadBackup)
find('constants').addEventListener('click', showConstants)
