// What an app should do about a refusal, by its X-Error. Why it was refused, and what to change in the request, the server says
// itself. This module is loaded with the first request that is opened.
const later = 'Send the request again after the seconds in Retry-After.'
const deletePhotos = 'Let the user delete photos first.'
const noRoom = 'Tell the user to try later: the owner must make room.'
const signInAgain = 'Let the user sign in again.'

const byError = {
  not_refreshable: signInAgain,
  reused_token: `${signInAgain} Store each new token before you discard the old one.`,
  account_disabled: 'Show the message. Another token or password would not help.',
  signup_closed: 'Show the message, or let the owner create the account.',
  get_token_off: 'Use POST /api/signin instead.',
  too_many_attempts: `${later} Tests can set RATE_LIMIT=off.`,
  too_many_signups: later,
  too_many_photos: deletePhotos,
  user_quota: deletePhotos,
  storage_quota: noRoom,
  busy: later,
  database_away: later,
  storage_away: later,
  outcome_unknown: 'Load the current state before you send the request again.',
  not_ready: later,
  storage_full: noRoom,
  storage_failing: 'Tell the user to try later: the owner must check the disk.',
  name_taken: 'Let the user choose another name.',
  unknown_note: 'Load the list of notes again.',
  unknown_post: 'Load the list of posts again.',
  too_many_notes: 'Let the user delete some.',
}

/** A sentence; empty if there is nothing to do but to mend the request. */
export const advice = ({fault, status, error}) =>
  fault != null ? 'Check that the app tells its user, and tries again where that is safe.'
    : status == null ? 'Send the request again.' : byError[error] ?? ''
