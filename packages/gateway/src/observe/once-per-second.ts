// For events that may happen once per request, as while the database is down: each message is written at most once per second, with the
// number of times that it was not written.
import type { Fields, Log } from './log.ts'

const INTERVAL_MS = 1_000

/** `after`: runs a function once, later. */
export function oncePerSecond(log: Log, after: (ms: number, run: () => void) => void = afterTimeout): Log {
  const at = (level: keyof Log) => {
    /** By message: how often it was not written since its last line, and the fields of the last such time. */
    const counted = new Map<string, { count: number; fields: Fields }>()
    const end = (message: string): void => {
      const { count, fields } = counted.get(message) ?? { count: 0, fields: {} }
      counted.delete(message)
      if (count === 0) return
      log[level](message, { ...fields, count })
      begin(message)
    }
    const begin = (message: string): void => {
      counted.set(message, { count: 0, fields: {} })
      after(INTERVAL_MS, () => end(message))
    }
    return (message: string, fields: Fields = {}): void => {
      const known = counted.get(message)
      if (known) {
        known.count += 1
        known.fields = fields
        return
      }
      log[level](message, fields)
      begin(message)
    }
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function afterTimeout(ms: number, run: () => void): void {
  setTimeout(run, ms).unref()
}
