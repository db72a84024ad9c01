// What the app should do about a refusal. The field X-Error decides, or else the message, or else the status. This module is
// loaded with the first request that is opened.
import {field, isEncrypted, why} from './exchange.js'

const later = 'Send the request again after the seconds in Retry-After.'
const deletePhotos = 'Let the user delete photos first'
const noRoom = 'Try later. The owner must make room.'
const signInAgain = 'Let the user sign in.'

const byError = {
  invalid_api_credentials: 'Set the app’s API_AUTH_NAME and API_AUTH_PASSWORD to those of this server’s API, and send both by HTTP Basic.',
  invalid_token: exchange => field(exchange.fields, 'authorization') ? 'Forget the token and let the user sign in.'
    : 'Send Authorization: Token token=… with the api_authtoken from the sign-in.',
  expired_token: 'Get another with POST /api/refresh_token, GET /api/get_token or a new sign-in.',
  not_refreshable: signInAgain,
  reused_token: `${signInAgain} In the app, store the new token before you discard the old one.`,
  wrong_password: exchange => isEncrypted(exchange) === false
    ? 'Encrypt it with AESCrypt and the same API_AUTH_PASSWORD as the server’s, and send the base64.'
    : 'Let the user type it again.',
  unknown_email: 'Let the user correct it or sign up.',
  unknown_photo: 'Send the random_id of a photo from get_photos.',
  account_disabled: 'Show the message. Another token or password would not help.',
  foreign_page: 'Send it from the app, or from a page of this server.',
  signup_closed: 'Show the message, or let the owner create the account.',
  get_token_off: 'Use POST /api/signin instead.',
  too_many_attempts: `${later} Tests can set RATE_LIMIT=off.`,
  too_many_signups: later,
  too_many_photos: `${deletePhotos}, or raise MAX_PHOTOS.`,
  user_quota: `${deletePhotos}, or raise USER_QUOTA.`,
  storage_quota: `${noRoom} Or raise STORAGE_QUOTA.`,
  busy: later,
  database_away: later,
  storage_away: later,
  outcome_unknown: 'Load the current state before sending the request again.',
  not_ready: 'Try later.',
  storage_full: noRoom,
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
  [/^required parameters are missing$/,
    'Send what is missing below. Without a Content-Type, a body is not read.'],
  [/^Wrong URL or HTTP method$/, 'Check BASE_URL, which ends in /api, and the path and the method of the request.'],
  [/ - /, 'Let the user correct it.'],
  [/JSON/,
    'Encode it with JSONSerialization or JSONEncoder: a quotation mark breaks JSON that is put together by hand.'],
  [/image must be a file/, 'Send multipart/form-data with a part name="image"; filename="photo".'],
  [/no photo at this address/, 'The photo may have been deleted. Load the list of photos again.'],
]

const byStatus = {
  401: signInAgain,
  403: 'Show the message. Other credentials would not help.',
  404: 'Check the address and the method.',
  405: 'Use one of the methods in the Allow header.',
  413: 'Make the picture smaller (MAX_PHOTO_BYTES).',
  429: later,
  503: later,
  507: 'Try later, or delete something first.',
}

/** Returns a sentence for `why` and for `advice`, or null if nothing was refused. */
export function explain(exchange) {
  const {fault, status, message, error} = exchange
  const said = fault != null ? 'Check that the app tells its user, and tries again where that is safe.'
    : status == null ? 'Send the request again.'
      : byError[error] ?? byMessage.find(([pattern]) => pattern.test(message ?? ''))?.[1] ?? byStatus[status]
        ?? (status < 500 ? 'Correct the request.' : 'Try again later.')
  const reason = why(exchange)
  return reason && {why: reason, advice: typeof said === 'function' ? said(exchange) : said}
}
