import {showPlace} from './frame.js'
import {encrypt} from './aescrypt.js'
import {curl, filled, send} from './call.js'
import {openCamera} from './camera.js'
import {constants} from './constants.js'
import {element, find, say} from './dom.js'
import {endpoints} from './endpoints.js'
import {bytes, counted, time} from './format.js'
import {away} from './notice.js'
import {confirm, copies, menu, tabs} from './widgets.js'

const base = `${location.origin}/api`
const session = {token: '', photo: ''}
const fields = {
  apiName: find('api-name'), apiPassword: find('api-password'), fullName: find('full-name'), email: find('email'),
  password: find('password'), title: find('title'), photo: find('photo'),
  newPassword: element('input', {id: 'new-password', type: 'password', autocomplete: 'new-password'}),
}

// MARK: - The server

let about = {}

async function showServer() {
  try {
    about = await (await fetch(`${location.origin}/`, {headers: {Accept: 'application/json, */*;q=0.1'}})).json()
    if (about.command) find('command').textContent = `${about.command} constants`
    if (about.api_auth_password) {
      find('credentials-hint').textContent = 'This server keeps nothing, so its credentials are filled in.'
      fields.apiName.value ||= about.api_auth_name
      fields.apiPassword.value ||= about.api_auth_password
      keep()
      showCommands()
    }
    if (about.inspector) showPlace(about.inspector)
    const others = about.families.filter(family => family !== 'selfie')
    const names = {microblog: 'Microblog', notes: 'Notes'}
    find('families').textContent = others.length
      ? `This server also serves these apps: ${others.map(family => names[family] ?? family).join(', ')}.` : ''
    if (about.signup === 'closed') {
      find('signup').disabled = true
      say(find('account-result'), 'Only the owner of this server can create accounts (SIGNUP=closed). Sign in with yours.')
    }
    if (!about.families.includes('selfie')) find('try').hidden = true
  } catch { /* The bar says so. */ }
  await look()
}

let timer = 0

/** Looks whether the server is ready: often while it is away, else each minute. */
async function look() {
  clearTimeout(timer)
  const response = await fetch(`${location.origin}/readyz`, {cache: 'no-store'}).catch(() => null)
  const wasAway = document.body.classList.contains('away')
  away(!response)
  if (response && wasAway) return showServer()
  const message = !response ? 'The server does not respond' : response.ok ? `Ready, version ${about.version}`
    : `Not ready: ${(await response.json().catch(() => ({}))).message ?? response.status}`
  if (find('health').textContent !== message) say(find('health'), message, response?.ok ? 'good' : 'bad')
  timer = setTimeout(() => document.hidden || look(), response ? 60_000 : 2_000)
}

// MARK: - Constants and commands

/** The elements that show the commands, by the names of the endpoints. */
const shown = {}

async function showCommands() {
  const [name, password] = [fields.apiName.value, fields.apiPassword.value]
  // The password is on the screen as dots only.
  find('constants').textContent = constants(name, password && '•'.repeat(8))
  find('copy-constants').disabled = !name || !password
  const known = await variables()
  for (const {name} of endpoints) shown[name].textContent = curl(request(name, known))
  find('curl').textContent = shown[current].textContent
  allowCopy()
}

// MARK: - The request and its response

let current = 'signup'
let openTab = 'curl-tab'
const selectTab = tabs(find('sent-tabs'), id => {
  openTab = id
  allowCopy()
})

const sentText = () => find(openTab === 'curl-tab' ? 'curl' : 'response').textContent
const allowCopy = () => { find('copy-sent').disabled = !sentText() }

/** Shows the command of an endpoint, and no response until there is one. */
function showRequest(name) {
  if (name !== current) clearResponse()
  current = name
  find('sent-title').textContent = `${endpoint(name).method} /api/${name}`
  find('curl').textContent = shown[name].textContent
  selectTab('curl-tab')
}

function clearResponse() {
  find('response').textContent = find('status').textContent = ''
  find('status').className = ''
  find('not-sent').hidden = false
  find('received').hidden = true
}

function showResponse(response, json, milliseconds) {
  const {status, statusText} = response
  const kind = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'
  find('status').className = `status ${kind}`
  find('status').textContent = status
  find('response').textContent = `${status} ${statusText} in ${milliseconds} ms\n\n${JSON.stringify(json, null, 2)}`
  find('fields').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  find('not-sent').hidden = true
  find('received').hidden = false
  selectTab('response-tab')
}

// MARK: - Requests

const endpoint = name => endpoints.find(endpoint => endpoint.name === name)

/** What was typed and received, as far as it is known, by the variables of requests. */
async function variables() {
  const key = fields.apiPassword.value
  const [password, newPassword] = await Promise.all([fields.password, fields.newPassword].map(({value}) => key && value && encrypt(value, key)))
  return {$TOKEN: session.token, $RANDOM_ID: session.photo, $PASSWORD: password, $NEW_PASSWORD: newPassword}
}

/** The request to an endpoint. */
function request(name, variables) {
  const {method, isBasic, token, type = 'application/json', query = () => '', members = () => ({})} = endpoint(name)
  const typed = {
    name: fields.fullName.value, email: fields.email.value || 'ada@example.com', title: fields.title.value,
    photo: fields.photo.files[0] ?? taken ?? new Blob(),
  }
  const url = `${base}/${name}${query(typed)}`
  return filled({method, url, isBasic, token, type, members: Object.entries(members(typed))}, variables)
}

const sent = async (name, known, sending) =>
  send(request(name, {...await variables(), ...known}), {name: fields.apiName.value, password: fields.apiPassword.value}, sending)

/** Sends a request to an endpoint, and shows the response. Returns the JSON of a success. */
async function call(region, name, success, {known, sending} = {}) {
  // A second click would do it twice.
  if (running.has(name)) return
  running.add(name)
  const [focused, buttons] = [document.activeElement, document.querySelectorAll(`[data-endpoint=${name}]`)]
  for (const button of buttons) button.disabled = true
  showRequest(name)
  say(region, 'Sending …')
  const start = performance.now()
  try {
    const response = await sent(name, known, sending)
    const json = await response.json().catch(() => ({message: `The server responded with ${response.status}.`}))
    showResponse(response, json, Math.round(performance.now() - start))
    if (response.ok) {
      say(region, `✓ ${success(json)}`, 'good')
      return json
    }
    say(region, `✗ ${sentence(response, json)}`, 'bad')
  } catch (error) {
    say(region, error.name === 'AbortError' ? 'Cancelled.' : '✗ The server does not respond.', 'bad')
    if (error.name !== 'AbortError') look()
  } finally {
    running.delete(name)
    for (const button of buttons) button.disabled = false
    // A button that was off has lost it.
    if (document.activeElement === document.body) focused.focus()
  }
}

/** The endpoints that are being asked. */
const running = new Set()

/** Sends a form as fetch does, and shows how much of it has been sent. */
const sendingForm = (url, {method, headers, body}) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest()
  const [bar, cancel] = [find('upload-bar'), find('cancel-upload')]
  request.open(method, url)
  for (const [name, value] of headers) request.setRequestHeader(name, value)
  request.upload.onprogress = ({loaded, total}) => { bar.value = loaded / total }
  request.onloadend = () => {
    bar.hidden = cancel.hidden = true
    const {status, statusText} = request
    if (!status) return reject(new DOMException('', wasCancelled ? 'AbortError' : 'NetworkError'))
    const lines = request.getAllResponseHeaders().trim().split('\r\n').map(line => line.split(/: (.*)/).slice(0, 2))
    resolve(new Response(request.response, {status, statusText, headers: lines}))
  }
  let wasCancelled = false
  cancel.onclick = () => {
    wasCancelled = true
    request.abort()
  }
  bar.value = 0
  bar.hidden = cancel.hidden = false
  request.send(body)
})

const refusals = {
  unknown_email: 'There is no account with this address.',
  invalid_api_credentials: 'The API name or the API password is wrong.',
  invalid_token: 'The token is no longer valid. Sign in again.',
  expired_token: 'The token has expired. Sign in again.',
  wrong_password: 'The password is wrong.',
}

/** The problems of an account, which the API lists as `email - is invalid,`. */
const problems = {
  'email - has already been taken': 'There is already an account with this address.',
  'email - is invalid': 'That is not an email address.',
  'password - is too short': 'The password needs at least 6 characters.',
  'password - is too long': 'The password is too long.',
}

/** A refusal as sentences. */
const sentence = (response, {message}) => refusals[response.headers.get('X-Error')]
  ?? message.split(',').map(part => part.trim()).filter(Boolean)
    .map(part => problems[part.replace(/ \(.*/, '')] ?? `${part.replace(' - ', ' ').replace(/\.$/, '')}.`).join(' ')

function missing(region, ...names) {
  const empty = names.find(name => !(name === 'photo' ? fields.photo.files.length || taken : fields[name].value))
  if (!empty) return false
  say(region, `Please fill in “${fields[empty].labels[0].textContent}” first.`, 'bad')
  fields[empty].focus()
  return true
}

async function signUp() {
  const region = find('account-result')
  if (missing(region, 'apiName', 'apiPassword', 'fullName', 'email', 'password')) return
  const email = fields.email.value
  const user = await call(region, 'signup', () => `${email} has an account.`)
  if (user) await begin(await call(region, 'signin', user => `${email} has an account. ${signedIn(user)}`))
}

async function signIn() {
  const region = find('account-result')
  if (missing(region, 'apiName', 'apiPassword', 'email', 'password')) return
  await begin(await call(region, 'signin', signedIn))
}

const signedIn = user => `Signed in. The token is valid until ${time(user.authtoken_expiry)}.`

async function begin(user) {
  if (!user?.api_authtoken) return
  session.token = user.api_authtoken
  keep()
  await refreshGallery()
}

async function upload() {
  const region = find('photo-result')
  if (needsToken(region) || missing(region, 'title', 'photo')) return
  const file = fields.photo.files[0] ?? taken
  if (file.size > about.max_photo_bytes) {
    return say(region, `The photo has ${bytes(file.size)}. The server takes ${bytes(about.max_photo_bytes)}.`, 'bad')
  }
  const isPicture = file.type.startsWith('image/')
  if (!isPicture && !await confirm('Not an image', `“${file.name}” is not an image, so apps cannot show it.`, 'Upload it', null)) return
  const photo = await call(region, 'upload_photo', photo => `“${photo.title}” is stored.`, {sending: sendingForm})
  if (photo) {
    fields.photo.value = ''
    choose(null)
  }
  // What was cancelled may have been stored.
  await refreshGallery()
}

/** Shows the photo that will be uploaded. */
function choose(file) {
  taken = file
  const preview = find('preview')
  URL.revokeObjectURL(preview.src)
  const shown = file ?? fields.photo.files[0]
  preview.hidden = !shown?.type.startsWith('image/')
  if (!preview.hidden) preview.src = URL.createObjectURL(shown)
  find('photo-hint').textContent = shown ? `${shown.name ?? 'From the camera'}, ${bytes(shown.size)}` : 'Or drop one here.'
}

function needsToken(region) {
  if (!session.token) say(region, 'Sign in first.', 'bad')
  return !session.token
}

const amount = photos => photos.length ? `${counted(photos.length, 'photo')}.` : 'No photos yet.'

async function showGallery() {
  const region = find('gallery-result')
  if (needsToken(region)) return
  const photos = await call(region, 'get_photos', amount)
  if (photos) await drawGallery(photos)
}

/** Brings the gallery up to date after another request, whose response remains on the page. */
async function refreshGallery(before = '') {
  const response = await sent('get_photos').catch(() => null)
  if (!response) return
  if (!response.ok) return say(find('gallery-result'), 'Sign in to see your photos.')
  const photos = await response.json()
  say(find('gallery-result'), before + amount(photos))
  await drawGallery(photos)
}

/** The newest first; the API lists the oldest first. */
async function drawGallery(list) {
  const photos = [...list].reverse()
  session.photo = photos[0]?.random_id ?? ''
  find('gallery').replaceChildren(...photos.map(picture))
  await showCommands()
}

function picture({random_id: id, title}) {
  // The server's own address: image_url may have another name of it.
  const address = `/photos/${encodeURIComponent(id)}`
  const image = element('img', {src: address, alt: title, loading: 'lazy', onerror: () =>
    image.replaceWith(element('span', {class: 'broken'}, 'This file cannot be shown. Open it.'))})
  return element('li', {},
    element('figure', {},
      element('a', {href: address, 'aria-label': `Open “${title}”`}, image),
      element('div', {}, element('figcaption', {}, title), menu(`“${title}”`,
        ['Delete', () => remove(id, title), 'danger']))))
}

async function remove(id, title) {
  if (!await confirm('Delete the photo', `“${title}” will be deleted for good.`, 'Delete')) return
  const region = find('gallery-result')
  if (await call(region, 'delete_photo', () => 'The photo is deleted.', {known: {$RANDOM_ID: id}})) {
    await refreshGallery('The photo is deleted. ')
  }
}

// MARK: - The other endpoints

const actions = {
  signup: signUp, signin: signIn, upload_photo: upload, get_photos: showGallery,
  async get_token(region) {
    if (missing(region, 'apiName', 'apiPassword', 'email')) return
    await begin(await call(region, 'get_token', signedIn))
  },
  async reset_password(region) {
    if (needsToken(region) || missing(region, 'apiPassword', 'password', 'newPassword')) return
    const user = await call(region, 'reset_password', () => 'The password was changed. All earlier tokens have ended.')
    if (!user) return
    fields.password.value = fields.newPassword.value
    fields.newPassword.value = ''
    await begin(user)
  },
  async delete_photo(region) {
    if (needsToken(region)) return
    if (!session.photo) return say(region, 'There is no photo to delete.', 'bad')
    if (!await confirm('Delete the photo', 'The first photo in the gallery will be deleted for good.', 'Delete')) return
    if (await call(region, 'delete_photo', () => 'The photo is deleted.')) {
      await refreshGallery()
    }
  },
  async clear_token(region) {
    if (needsToken(region)) return
    if (!await call(region, 'clear_token', () => 'Signed out. The token has ended.')) return
    session.token = session.photo = ''
    keep()
    find('gallery').replaceChildren()
    say(find('gallery-result'), 'Sign in to see your photos.')
    await showCommands()
  },
}

/** The endpoints that have a form above, and its live region. */
const regions = {
  signup: 'account-result', signin: 'account-result', upload_photo: 'photo-result', get_photos: 'gallery-result',
}

/** An endpoint as one line, which unfolds. */
function line({name, method, text, button}) {
  const code = shown[name] = element('code')
  const copy = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(copy, () => code.textContent)
  const region = element('output', {'aria-live': 'polite'})
  const act = element('button', {
    type: 'button', class: name === 'delete_photo' ? 'plain small danger' : 'small', onclick: () => actions[name](region),
  }, button)
  const form = name === 'reset_password'
    ? [element('form', {class: 'row', 'aria-label': 'New password', onsubmit: () => actions[name](region)}, element('div', {},
      element('label', {for: 'new-password'}, 'New password'), fields.newPassword))] : []
  return element('details', {},
    element('summary', {},
      element('span', {class: 'method'}, method), element('span', {class: 'path'}, `/api/${name}`),
      element('span', {class: 'faint brief'}, text)),
    element('div', {class: 'inside'},
      element('p', {}, text), element('pre', {}, code),
      ...name in regions
        ? [element('div', {class: 'row'}, copy, element('a', {href: `#${regions[name]}`}, 'Go to its form'))]
        : [...form, element('div', {class: 'row'}, act, copy), region]))
}

// MARK: - The camera

let taken = null

async function useCamera() {
  const region = find('photo-result')
  try {
    const picture = await openCamera()
    if (!picture) return
    fields.photo.value = ''
    choose(picture)
    say(region, 'The picture is ready. Upload it.')
    find('upload').focus()
  } catch (error) {
    say(region, `✗ The camera cannot be used: ${error.message}`, 'bad')
  }
}

// MARK: - Kept when this tab is reloaded

const kept = {'api-name': fields.apiName, 'api-password': fields.apiPassword, email: fields.email}

function keep() {
  for (const [name, field] of Object.entries(kept)) sessionStorage.setItem(name, field.value)
  sessionStorage.setItem('token', session.token)
}

function restore() {
  for (const [name, field] of Object.entries(kept)) field.value = sessionStorage.getItem(name) ?? ''
  session.token = sessionStorage.getItem('token') ?? ''
}

// MARK: - The page

restore()
find('endpoints').replaceChildren(...endpoints.map(line))
for (const [id, action] of [['signup', signUp], ['signin', signIn], ['upload', upload], ['open-camera', useCamera]]) {
  find(id).addEventListener('click', action)
}
// Enter in a field goes on as the buttons do.
const entered = {
  credentials: () => fields.email.focus(), account: () => current === 'signin' ? signIn() : signUp(), 'photo-form': upload,
}
for (const [id, action] of Object.entries(entered)) {
  find(id).addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.target.matches('input:not([type=file])')) action()
  })
}
for (const button of document.querySelectorAll('[data-endpoint]')) {
  const name = button.dataset.endpoint
  // The window gives the focus back to the same button, whose response should stay.
  button.addEventListener('focus', () => { if (name !== current) showRequest(name) })
}
for (const form of document.forms) form.addEventListener('submit', event => event.preventDefault())
for (const input of document.querySelectorAll('input')) {
  input.addEventListener('input', () => { keep(); showCommands() })
}
fields.photo.addEventListener('change', () => choose(null))
find('photo-form').addEventListener('dragover', event => {
  event.preventDefault()
  find('photo-form').classList.add('drop')
})
find('photo-form').addEventListener('dragleave', () => find('photo-form').classList.remove('drop'))
find('photo-form').addEventListener('drop', event => {
  event.preventDefault()
  find('photo-form').classList.remove('drop')
  if (event.dataTransfer.files.length) fields.photo.files = event.dataTransfer.files
  choose(null)
})
document.addEventListener('visibilitychange', () => document.hidden || look())
find('open-camera').hidden = !navigator.mediaDevices?.getUserMedia
copies(find('copy-constants'), () => constants(fields.apiName.value, fields.apiPassword.value))
copies(find('copy-sent'), sentText)
showRequest('signup')
showCommands()
showServer()
if (session.token) refreshGallery()
