// One line per event on standard error: JSON, or text on a terminal. Callers choose the fields;
// bodies and API keys are never logged.

export type Fields = Record<string, string | number | boolean | bigint | undefined>
export type Log = {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

export type LogFormat = 'json' | 'text'

/** `commonFields`: fields of every line. */
export function createLog(
  write: (line: string) => void,
  clock: () => number,
  commonFields: Fields = {},
  format: LogFormat = 'json',
): Log {
  const line = format === 'json' ? jsonLine : textLine
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      write(line(clock(), level, message, { ...commonFields, ...fields }))
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

export function jsonLine(time: number, level: string, message: string, fields: Fields): string {
  const line = { time: new Date(time).toISOString(), level, message, ...fields }
  return `${JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}\n`
}

/** `15:04:05 warn  upstream not reached  upstream=main error="connection refused"` */
export function textLine(time: number, level: string, message: string, fields: Fields): string {
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${textValue(value)}`],
  )
  return `${timeOfDay(time)} ${level.padEnd(5)} ${[message, shown.join(' ')].filter(Boolean).join('  ')}\n`
}

/** In the local time zone, for terminals. */
export const timeOfDay = (time: number): string => new Date(time).toTimeString().slice(0, 8)

/** Line breaks and control characters are escaped, so that they cannot forge a line or control a terminal. */
function textValue(value: NonNullable<Fields[string]>): string {
  const text = String(value)
  if (/^[\x21\x23-\x7e]+$/.test(text)) return text
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** The stack of an unexpected error, or its message. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
