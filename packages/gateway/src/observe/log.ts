// One line of JSON per event on standard error. Fields are chosen where they are logged; bodies and keys never are.

export type Fields = Record<string, string | number | boolean | bigint | undefined>
export type Log = {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** `always`: fields that every line has. */
export function createLog(write: (line: string) => void, clock: () => number, always: Fields = {}): Log {
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) => {
      const line = { time: new Date(clock()).toISOString(), level, message, ...always, ...fields }
      write(`${JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}\n`)
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** What an unexpected error says, with its stack if it has one. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
