import {copies, element, find, say} from './dom.js'
import {endpoints} from './endpoints.js'
import {encrypt} from './aescrypt.js'
import {openCamera} from './camera.js'

const base = `${location.origin}/api`
const session = {token: '', photo: ''}
const fields = {
  apiName: find('api-name'), apiPassword: find('api-password'), fullName: find('full-name'), email: find('email'),
  password: find('password'), title: find('title'), photo: find('photo'),
}

// MARK: - What the server is

async function showServer() {
  try {
    const about = await (await fetch('/', {headers: {Accept: 'application/json, */*;q=0.1'}})).json()
    find('version').textContent = `version ${about.version}`
    const others = about.families.filter(family => family !== 'selfie')
    const names = {microblog: 'Microblog', notes: 'Notes'}
    find('families').textContent = others.length
      ? `This server also has the APIs of these apps: ${others.map(family => names[family] ?? family).join(', ')}.` : ''
    if (about.signup === 'closed') {
      find('signup').disabled = true
      say(find('account-result'), 'Only the owner of this server makes accounts (SIGNUP=closed). Sign in with yours.')
    }
    if (!about.families.includes('selfie')) find('try').hidden = true
  } catch { /* The line about the server's health says so. */ }
  const health = find('health')
  try {
    const response = await fetch('/readyz')
    const isReady = response.ok
    health.className = isReady ? 'good' : 'bad'
    health.textContent = isReady
      ? '✓ It works: the server can store accounts and photos.' : `✗ ${(await response.json()).message}`
  } catch {
    health.className = 'bad'
    health.textContent = '✗ The server does not respond.'
  }
}

// MARK: - Constants and commands

const inSwift = text => `"${text.replace(/["\\]/g, '\\$&')}"`

function constants() {
  return `static let API_AUTH_NAME = ${inSwift(fields.apiName.value || '…')}
static let API_AUTH_PASSWORD = ${inSwift(fields.apiPassword.value || '…')}
static let BASE_URL = ${inSwift(base)}`
}

const shown = new Map()

async function showCommands() {
  // The password is on the screen as dots only.
  const text = constants()
  const password = fields.apiPassword.value
  find('constants').textContent = password ? text.replace(inSwift(password), `"${'•'.repeat(8)}"`) : text
  const values = {
    base, name: fields.fullName.value, email: fields.email.value || 'ada@example.com', title: fields.title.value,
    token: session.token || '$TOKEN', photo: session.photo || '$RANDOM_ID',
    password: password && fields.password.value ? await encrypt(fields.password.value, password) : '$PASSWORD',
    newPassword: password && newPassword.value ? await encrypt(newPassword.value, password) : '$NEW_PASSWORD',
  }
  for (const endpoint of endpoints) shown.get(endpoint).textContent = endpoint.curl(values)
}

// MARK: - Requests

const basic = () => {
  const bytes = new TextEncoder().encode(`${fields.apiName.value}:${fields.apiPassword.value}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
const token = () => `Token token=${session.token}`
const encrypted = text => encrypt(text, fields.apiPassword.value)

/** Sends a request and shows what comes back. Returns the JSON of a success. */
async function call(region, method, path, authorization, body, success) {
  say(region, 'Sending …')
  const isForm = body instanceof FormData
  try {
    const response = await fetch(base + path, {
      method, cache: 'no-store', credentials: 'omit', body: isForm ? body : body && JSON.stringify(body),
      headers: {
        Authorization: authorization, Accept: '*/*', ...isForm || !body ? {} : {'Content-Type': 'application/json'},
      },
    })
    const json = await response.json()
    if (response.ok) {
      say(region, `✓ ${response.status}: ${success(json)}`, 'good')
      return json
    }
    say(region, `✗ ${response.status}: ${sentence(response, json)}`, 'bad')
  } catch (error) {
    say(region, `✗ The request failed: ${error.message}`, 'bad')
  }
}

const refusals = {
  invalid_api_credentials: 'The API name or the API password is wrong.',
  invalid_token: 'The token has ended; sign in again.',
  expired_token: 'The token has expired; sign in again.',
  wrong_password: 'The password is wrong.',
}

/** A refusal as one sentence. What is wrong with an account is a list, such as `email - is invalid,`. */
function sentence(response, {message}) {
  return refusals[response.headers.get('X-Error')]
    ?? `${message.replace(/[.,\s]+$/, '').replaceAll(' - ', ' ').replaceAll(',', ', ')}.`
}

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
  await call(region, 'POST', '/signup', basic(), {
    full_name: fields.fullName.value, email: fields.email.value, password: await encrypted(fields.password.value),
  }, user => `the account of ${user.email} is there. Now sign in.`)
}

async function signIn() {
  const region = find('account-result')
  if (missing(region, 'apiName', 'apiPassword', 'email', 'password')) return
  const user = await call(region, 'POST', '/signin', basic(), {
    email: fields.email.value, password: await encrypted(fields.password.value),
  }, signedIn)
  await begin(user)
}

const signedIn = user => `signed in; the token is valid until ${time(user.authtoken_expiry)}.`
const time = text => new Date(text).toLocaleString()

async function begin(user) {
  if (!user?.api_authtoken) return
  session.token = user.api_authtoken
  keep()
  await showGallery()
}

async function upload() {
  const region = find('photo-result')
  if (needsToken(region) || missing(region, 'title', 'photo')) return
  const form = new FormData()
  form.append('image', fields.photo.files[0] ?? taken, fields.photo.files[0]?.name ?? 'camera.jpg')
  form.append('title', fields.title.value)
  const photo = await call(region, 'POST', '/upload_photo', token(), form, photo => `“${photo.title}” is stored.`)
  if (photo) await showGallery()
}

function needsToken(region) {
  if (!session.token) say(region, 'Sign in first.', 'bad')
  return !session.token
}

async function showGallery() {
  const region = find('gallery-result')
  if (needsToken(region)) return
  const photos = await call(region, 'GET', '/get_photos', token(), null, photos =>
    photos.length === 1 ? 'one photo.' : photos.length ? `${photos.length} photos.` : 'no photos yet.')
  if (!photos) return
  session.photo = photos[0]?.random_id ?? ''
  find('gallery').replaceChildren(...photos.map(picture))
  await showCommands()
}

function picture(photo) {
  const caption = element('figcaption', {id: `caption-${photo.random_id}`}, photo.title)
  return element('li', {},
    element('figure', {},
      // The server's own address: image_url may have another name of it.
      element('img', {src: `/photos/${encodeURIComponent(photo.random_id)}`, alt: photo.title, loading: 'lazy'}), caption),
    element('button', {
      type: 'button', class: 'plain small', 'aria-describedby': caption.id, onclick: () => remove(photo.random_id),
    }, 'Delete'))
}

async function remove(id) {
  const region = find('gallery-result')
  if (await call(region, 'DELETE', '/delete_photo', token(), {photo_id: id}, () => 'the photo is deleted.')) {
    await showGallery()
  }
}

// MARK: - The other endpoints

const newPassword = element('input', {id: 'new-password', type: 'password', autocomplete: 'new-password'})

const actions = {
  signup: signUp, signin: signIn, upload_photo: upload, get_photos: showGallery,
  async get_token(region) {
    if (missing(region, 'apiName', 'apiPassword', 'email')) return
    const query = `?email=${encodeURIComponent(fields.email.value)}`
    await begin(await call(region, 'GET', `/get_token${query}`, basic(), null, signedIn))
  },
  async reset_password(region) {
    if (needsToken(region) || missing(region, 'apiPassword', 'password')) return
    const user = await call(region, 'POST', '/reset_password', token(), {
      old_password: await encrypted(fields.password.value), new_password: await encrypted(newPassword.value),
    }, () => 'the password is changed, and all earlier tokens have ended.')
    if (!user) return
    fields.password.value = newPassword.value
    newPassword.value = ''
    await begin(user)
  },
  async delete_photo(region) {
    if (needsToken(region)) return
    if (!session.photo) return say(region, 'There is no photo to delete.', 'bad')
    if (await call(region, 'DELETE', '/delete_photo', token(), {photo_id: session.photo}, () => 'deleted.')) {
      await showGallery()
    }
  },
  async clear_token(region) {
    if (needsToken(region)) return
    if (!await call(region, 'GET', '/clear_token', token(), null, () => 'signed out; the token has ended.')) return
    session.token = session.photo = ''
    keep()
    find('gallery').replaceChildren()
    say(find('gallery-result'), 'Sign in to see your photos.')
    await showCommands()
  },
}

/** The elements whose live regions are above, in the forms. */
const regions = {
  signup: 'account-result', signin: 'account-result', upload_photo: 'photo-result', get_photos: 'gallery-result',
}

function card(endpoint) {
  const code = element('code')
  shown.set(endpoint, code)
  const button = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(button, () => code.textContent)
  const region = element('output', {'aria-live': 'polite'})
  const isAbove = endpoint.name in regions
  const act = element('button', {type: 'button', class: 'small', onclick: () => actions[endpoint.name](region)},
    endpoint.button)
  const form = endpoint.name === 'reset_password'
    ? [element('form', {class: 'row', 'aria-label': 'New password'}, element('div', {},
      element('label', {for: 'new-password'}, 'New password'), newPassword))] : []
  return element('section', {class: 'card', 'aria-labelledby': `endpoint-${endpoint.name}`},
    element('h3', {id: `endpoint-${endpoint.name}`},
      element('span', {class: 'method'}, endpoint.method), ` /api/${endpoint.name}`),
    element('p', {}, endpoint.text),
    element('pre', {}, code),
    ...isAbove
      ? [element('div', {class: 'row'}, button, element('a', {href: `#${regions[endpoint.name]}`}, 'To its form'))]
      : [...form, element('div', {class: 'row'}, act, button), region])
}

// MARK: - The camera

let taken = null

async function useCamera() {
  const region = find('photo-result')
  try {
    taken = await openCamera()
    if (!taken) return
    fields.photo.value = ''
    say(region, 'The picture is taken. Upload it.')
    find('upload').focus()
  } catch (error) {
    say(region, `✗ The camera cannot be used: ${error.message}`, 'bad')
  }
}

// MARK: - What a reload of this tab keeps

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
find('endpoints').replaceChildren(...endpoints.map(card))
for (const [id, action] of [['signup', signUp], ['signin', signIn], ['upload', upload], ['open-camera', useCamera]]) {
  find(id).addEventListener('click', action)
}
for (const form of document.forms) form.addEventListener('submit', event => event.preventDefault())
for (const input of document.querySelectorAll('input')) {
  input.addEventListener('input', () => { keep(); showCommands() })
}
fields.photo.addEventListener('change', () => { taken = null })
find('open-camera').hidden = !navigator.mediaDevices?.getUserMedia
copies(find('copy-constants'), constants)
showCommands()
showServer()
if (session.token) showGallery()
