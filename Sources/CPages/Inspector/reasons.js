// Why a request was refused, and what the app should do: by the field X-Error, then by the message, then by the status.
import {span} from './format.js'

const password = exchange => {
  const values = {...exchange.query, ...exchange.body.parameters}
  return Object.entries(values).find(([name]) => /pass/i.test(name))?.[1]
}

const byError = {
  invalid_api_credentials: exchange => hasAuthorization(exchange)
    ? ['The API name or the API password in the Authorization header is wrong.',
      'In the app, set API_AUTH_NAME and API_AUTH_PASSWORD to the values in storage/credentials.env.']
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
  account_disabled: ['The owner of the server has disabled this account.',
    'Show the message. Another token or password would not help.'],
  foreign_page: ['A page of another site sent the request, with this browser’s session.',
    'Send it from the app, or from a page of this server.'],
  signup_closed: ['Sign-up is closed on this server (SIGNUP=closed).', 'Show the message, or let the owner create the account.'],
  get_token_off: ['get_token is switched off (GET_TOKEN=off).', 'Use POST /api/signin instead.'],
  too_many_attempts: ['Ten wrong passwords within three minutes came from this client or for this user.',
    'Wait for the number of seconds in Retry-After. Tests can set RATE_LIMIT=off.'],
  too_many_signups: ['A hundred sign-ups within ten minutes came from this client.',
    'Wait for the number of seconds in Retry-After.'],
  too_many_photos: ['The account has reached its limit of photos (MAX_PHOTOS).', 'Let the user delete photos first.'],
  user_quota: ['The account’s photos have reached their maximum size (USER_QUOTA).', 'Let the user delete photos first.'],
  storage_quota: ['The photos of all users have reached their maximum size (STORAGE_QUOTA).',
    'Try later. The owner must make room.'],
  busy: ['The server was too busy, and did nothing.', 'Send the request again after Retry-After.'],
  database_away: ['The server’s database does not respond. Nothing was stored.', 'Send the request again after Retry-After.'],
  storage_away: ['The object store for the photos does not respond.', 'Send the request again after Retry-After.'],
  outcome_unknown: ['The server does not know whether this was stored.', 'Check before sending the request again.'],
  not_ready: ['The server cannot store anything now.', 'Try later. The message tells the owner the cause.'],
  storage_full: ['The server’s disk is full. Nothing was stored.', 'Try later. The owner must make room.'],
  storage_failing: ['The server cannot use its storage.', 'Try later. The owner must check the disk.'],
  missing_credentials: ['The request has no email address and password by HTTP Basic.', 'Send those of the Notes user.'],
  missing_session: ['The request has no valid session cookie, auth_tkt.', 'Log in, then send the cookie.'],
  name_taken: ['Another user of Microblog has this name.', 'Let the user choose another.'],
  invalid_note: ['The note is missing, too long or malformed.', 'Send note[title] and note[body] as texts.'],
  unknown_note: ['The user has no note with this id.', 'Load the list of notes again.'],
  unknown_post: ['There is no post with this id.', 'Load the list of posts again.'],
  too_many_notes: ['The user has reached the limit of notes.', 'Let the user delete some.'],
  too_many_posts: ['The user has reached the limit of posts.', 'This user cannot post any more.'],
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
  [/image must be a file/, () => ['The part image is missing or has no filename.',
    'Send multipart/form-data with a part name="image"; filename="photo".']],
  [/no photo at this address/, () => ['No photo has this id; it may have been deleted.', 'Load the list of photos again.']],
]

const byStatus = {
  400: ['The request is malformed; the message says where.', 'Correct the request.'],
  401: ['The credentials of the request are missing or wrong.', 'Let the user sign in.'],
  403: ['This is not allowed, whatever the credentials.', 'Show the message.'],
  404: ['There is nothing at this address.', 'Check the address and the method.'],
  405: ['The address does not have this method.', 'Use one of the methods in the Allow header.'],
  408: ['The request did not arrive in time.', 'Send it again, on a better connection.'],
  409: ['The request conflicts with the stored data.', 'Load the current state again.'],
  413: ['The body, the photo or a text is larger than the server accepts.', 'Make the picture smaller (MAX_PHOTO_BYTES).'],
  416: ['The photo is shorter than the requested range.', 'Ask for the whole photo.'],
  422: ['A value is missing or not valid; the message says which.', 'Correct it.'],
  429: ['There were too many requests of this kind.', 'Wait for the number of seconds in Retry-After.'],
  500: ['The server failed. Its log has the details under the request id.', 'Try again later.'],
  503: ['The server is busy or not ready.', 'Send the request again after Retry-After.'],
  507: ['The disk or a quota is full.', 'Try later, or delete something first.'],
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
    ?? ['The server has refused the request.', 'See the message.']
  const [why, advice] = typeof found === 'function' ? found(exchange) : found
  return {why, advice}
}

const hasAuthorization = exchange => exchange.fields.some(({name}) => name.toLowerCase() === 'authorization')

/** `expired 3 h ago`, as of the request's own time. */
export function age({token, time}) {
  if (!token?.expires_at) return 'has expired'
  const left = Date.parse(token.expires_at) - Date.parse(time)
  return left > 0 ? `is valid for another ${span(left)}` : `expired ${span(-left)} ago`
}
