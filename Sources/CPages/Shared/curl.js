// Commands for a shell, from texts of which some come from outside.

/** A text as one word of a shell's command line. Control characters could act on the terminal, so they are written out. */
export function quoted(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!/[\0-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const code = letter => `\\x${letter.charCodeAt().toString(16).padStart(2, '0')}`
  return `$'${text.replace(/[\\']/g, '\\$&').replace(/[\0-\x1f\x7f]/g, code)}'`
}

/** The variables that stand for what is secret, or was not typed or received yet. */
export const placeholder = /(\$(?:API_AUTH_NAME|API_AUTH_PASSWORD|TOKEN|PASSWORD|NEW_PASSWORD|RANDOM_ID)\b)/

/** A text as one word, in which the shell replaces a placeholder and nothing else. */
export const variable = text =>
  text.split(placeholder).map((part, i) => i % 2 ? `"${part}"` : part && quoted(part)).join('')

/** The words of a command, each on a line of its own. */
export const command = (...words) => words.join(' \\\n  ')
