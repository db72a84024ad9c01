// Why a request was refused, and what the app should do: by the field X-Error, then by the message, then by the status.
// Where the response says why, there is only the advice.
import {span} from './format.js'

const password = exchange => {
  const values = {...exchange.query, ...exchange.body.parameters}
  return Object.entries(values).find(([name]) => /pass/i.test(name))?.[1]
}
const later = 'Send the request again after the seconds in Retry-After.'
const deletePhotos = 'Let the user delete photos first'

const byError = {
  invalid_api_credentials: exchange => hasAuthorization(exchange)
    ? ['The API name or the API password in the Authorization header is wrong.',
      'In the app, set API_AUTH_NAME and API_AUTH_PASSWORD to the name and password of this server’s API.']
    : ['The request has no Authorization header: this address requires the API’s name and password by HTTP Basic.',
      'Send Authorization: Basic with the base64 of API_AUTH_NAME:API_AUTH_PASSWORD.'],
  invalid_token: exchange => hasAuthorization(exchange)
    ? ['This token is not valid: a sign-out or a new password ended it, or it never existed.',
      'Forget the token and let the user sign in.']
    : ['The request has no Authorization header: this address requires a token.',
      'Send Authorization: Token token=… with the api_authtoken from the sign-in.'],
  expired_token: exchange => [`The token ${age(exchange)}.`,
    'Get another with POST /api/refresh_token, GET /api/get_token or a new sign-in, then send the request again.'],
  not_refreshable: ['The token is unknown, was ended, or expired longer ago than REFRESH_LIFETIME.', 'Let the user sign in.'],
  reused_token: ['The token was already refreshed, more than a minute ago. All tokens of that sign-in have ended, because '
    + 'two devices may have used it.', 'Let the user sign in. In the app, store the new token before you discard the old one.'],
  wrong_password: exchange => password(exchange) === 'decrypts: no'
    ? ['The password does not decrypt with the API’s password, so it cannot be compared with the user’s.',
      'Encrypt it with AESCrypt and the same API_AUTH_PASSWORD as the server’s, and send the base64.']
    : ['The password was encrypted correctly, but it is not this user’s.', 'Let the user type it again.'],
  unknown_email: ['No user has this email address. It is compared exactly, including capitals and spaces.',
    'Let the user correct it or sign up.'],
  unknown_photo: ['The signed-in user has no photo with this id.', 'Send the random_id of a photo from get_photos.'],
  account_disabled: 'Show the message. Another token or password would not help.',
  foreign_page: 'Send it from the app, or from a page of this server.',
  signup_closed: 'SIGNUP is closed. Show the message, or let the owner create the account.',
  get_token_off: 'GET_TOKEN is off. Use POST /api/signin instead.',
  too_many_attempts: ['Ten wrong passwords within three minutes came from this client or for this user.',
    `${later} Tests can set RATE_LIMIT=off.`],
  too_many_signups: ['A hundred sign-ups within ten minutes came from this client.', later],
  too_many_photos: `${deletePhotos}, or raise MAX_PHOTOS.`,
  user_quota: `${deletePhotos}, or raise USER_QUOTA.`,
  storage_quota: 'Try later. The owner must make room, or raise STORAGE_QUOTA.',
  busy: later,
  database_away: later,
  storage_away: later,
  outcome_unknown: 'Load the current state before sending the request again.',
  not_ready: 'Try later. The message tells the owner the cause.',
  storage_full: 'Try later. The owner must make room.',
  storage_failing: 'Try later. The owner must check the disk.',
  missing_credentials: 'Send the email address and the password of the Notes user by HTTP Basic.',
  missing_session: 'Log in, then send the cookie auth_tkt.',
  name_taken: 'Let the user choose another.',
  invalid_note: 'Send note[title] and note[body] as texts.',
  unknown_note: 'Load the list of notes again.',
  unknown_post: 'Load the list of posts again.',
  too_many_notes: 'Let the user delete some.',
  too_many_posts: 'This user cannot post any more.',
}

const byMessage = [
  [/^required parameters are missing$/, () => ['A parameter that this address needs was not sent, or is null or false.',
    'Compare the parameters below with the documentation, and look at Content-Type: without it, a body is not read.']],
  [/^Wrong URL or HTTP method$/, ({method, path}) => [`The API has no ${method} ${path}.`,
    'Check BASE_URL, which ends in /api, and the method of the request.']],
  [/ - /, ({message}) => [`A value is not valid: ${message.replace(/,$/, '').replaceAll(',', '; ')}.`,
    'Let the user correct it.']],
  [/JSON/, () => ['The body is not valid JSON.',
    'Encode it with JSONSerialization or JSONEncoder: a quotation mark in a name breaks JSON that is put together by hand.']],
  [/image must be a file/, () => 'Send multipart/form-data with a part name="image"; filename="photo".'],
  [/no photo at this address/, () => 'The photo may have been deleted. Load the list of photos again.'],
]

const byStatus = {
  401: 'Let the user sign in.',
  403: 'Show the message. Other credentials would not help.',
  404: 'Check the address and the method.',
  405: 'Use one of the methods in the Allow header.',
  408: 'Send it again, on a better connection.',
  409: 'Load the current state again.',
  413: 'Make the picture smaller (MAX_PHOTO_BYTES).',
  416: 'The photo is shorter than the requested range: ask for all of it.',
  429: later,
  500: 'Try again later.',
  503: later,
  507: 'Try later, or delete something first.',
}

/** Returns a sentence for `why` and for `advice`, or null if nothing was refused. */
export function explain(exchange) {
  if (exchange.fault != null) {
    const what = exchange.status == null ? 'dropped the connection' : 'changed the response'
    return {why: `Fault ${exchange.fault} ${what}, as a test requested.`,
      advice: 'Check that the app tells its user, and tries again where that is safe.'}
  }
  if (exchange.status == null) return {why: 'The connection ended before a response.', advice: 'Send the request again.'}
  if (exchange.status < 400) return null
  const found = byError[exchange.error]
    ?? byMessage.find(([pattern]) => pattern.test(exchange.message ?? ''))?.[1] ?? byStatus[exchange.status]
    ?? 'Correct the request.'
  const said = typeof found === 'function' ? found(exchange) : found
  const [why, advice] = Array.isArray(said) ? said : [exchange.message ?? 'The server has refused the request.', said]
  return {why, advice}
}

const hasAuthorization = exchange => exchange.fields.some(({name}) => name.toLowerCase() === 'authorization')

/** `expired 3 h ago`, as of the request's own time. */
export function age({token, time}) {
  if (!token?.expires_at) return 'has expired'
  const left = Date.parse(token.expires_at) - Date.parse(time)
  return left > 0 ? `is valid for another ${span(left)}` : `expired ${span(-left)} ago`
}
