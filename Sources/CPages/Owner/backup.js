// The last backup, a backup for the owner's browser, and the app's constants.
import {showSecret} from './actions.js'
import {element, find, say} from './dom.js'
import {bytes, time} from './format.js'
import {backUp, run} from './server.js'

/** About how many bytes a backup will have. */
let expected = 0

export function showLastBackup(status, {backup}) {
  expected = status.bytes + status.database_bytes
  const isCluster = status.free_bytes == null
  find('back-up').disabled = isCluster
  find('last-backup').textContent = isCluster ? 'A cluster is backed up with the tools of PostgreSQL and of the object store.'
    : !backup ? 'The server makes no automatic backups.'
      : backup.time ? `Last automatic backup: ${time(backup.time)}, ${bytes(backup.bytes)}, verified.`
        : 'There is no automatic backup yet.'
}

async function makeBackup() {
  const abort = new AbortController()
  const [bar, text, result] = ['backup-bar', 'backup-text', 'backup-result'].map(find)
  const isBusy = busy => {
    find('backup-row').hidden = busy
    find('backup-progress').hidden = !busy
  }
  isBusy(true)
  say(result, '')
  bar.removeAttribute('value')
  text.textContent = 'Copying the database …'
  find('backup-cancel').onclick = () => abort.abort()
  try {
    const {name, blob} = await backUp(count => {
      bar.max = Math.max(expected, count)
      bar.value = count
      text.textContent = `${bytes(count)} of about ${bytes(Math.max(expected, count))}`
    }, abort.signal)
    if (result.dataset.url) URL.revokeObjectURL(result.dataset.url)
    result.dataset.url = URL.createObjectURL(blob)
    const link = element('a', {href: result.dataset.url, download: name}, name)
    say(result, '✓ The backup is complete: ', 'good')
    result.append(link, `, ${bytes(blob.size)}.`)
    link.click()
  } catch (error) {
    say(result, error.name === 'AbortError' ? 'The backup was cancelled.'
      : `✗ The backup failed. ${error.status == null ? 'The connection ended.' : error.message}`, 'bad')
  }
  isBusy(false)
  find('back-up').focus()
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

export function prepareBackup() {
  find('back-up').addEventListener('click', makeBackup)
  find('constants').addEventListener('click', showConstants)
}
