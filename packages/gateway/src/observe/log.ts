// One line per event on standard error: JSON, or text where a person reads along. Fields are chosen where they are logged;
// bodies and keys never are.

export type Fields = Record<string, string | number | boolean | bigint | undefined>
export type Log = {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

export type LogFormat = 'json' | 'text'

/** `always`: fields that every line has. */
export function createLog(
  write: (line: string) => void,
  clock: () => number,
  always: Fields = {},
  format: LogFormat = 'json',
): Log {
  const line = format === 'json' ? jsonLine : textLine
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      write(line(clock(), level, message, { ...always, ...fields }))
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

/** In the operator's own time zone, as a terminal shows it. */
export const timeOfDay = (time: number): string => new Date(time).toTimeString().slice(0, 8)

/** What could end the line, or make a terminal do something, is written as its number. */
function textValue(value: NonNullable<Fields[string]>): string {
  const text = String(value)
  if (/^[\x21\x23-\x7e]+$/.test(text)) return text
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** What an unexpected error says, with its stack if it has one. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
