// The last backup, and the app's constants.
import {showSecret} from './actions.js'
import {find, say} from './dom.js'
import {bytes, time} from './format.js'
import {downloadBackup, run} from './server.js'

export function showLastBackup(status, backup) {
  const isCluster = status.free_bytes == null
  find('backup-row').hidden = isCluster
  const byHand = status.last_backup && status.last_backup !== backup?.time
  find('last-backup').textContent = isCluster ? 'A cluster is backed up with the tools of PostgreSQL and of the object store.'
    : [
      !backup ? 'The server makes no automatic backups.'
        : backup.time ? `Last automatic backup: ${time(backup.time)}, ${bytes(backup.bytes)}, verified.`
          : 'There is no automatic backup yet.',
      byHand && `Last backup by hand: ${time(status.last_backup)}.`,
    ].filter(Boolean).join(' ')
  find('backup-size').textContent = `About ${bytes(status.bytes + status.database_bytes)}`
}

const inSwift = text => `"${text.replace(/["\\]/g, '\\$&')}"`

async function showConstants() {
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
