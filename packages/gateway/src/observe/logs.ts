// The event log and the request log of a process, in one stream. TRIVIUM_LOG selects the level.
import { createLog, type Fields, jsonLine, type Log, type LogFormat, textLine } from './log.ts'
import { createLogWriter, type WriteText } from './log-writer.ts'
import { createRequestLog } from './request-log.ts'
import type { RequestObserver } from './request-observer.ts'

/** `off`: nothing. `errors`: events, including all errors. `requests`: events and one line per request. */
export type LogLevel = 'off' | 'errors' | 'requests'

/** `observers`: the request log, if it is on. */
export type Logs = { log: Log; observers: readonly RequestObserver[] }

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** `onExit`: registers a callback for the exit of the process. */
export function openLogs(
  level: LogLevel,
  format: LogFormat,
  writeText: WriteText,
  onExit: (run: () => void) => void,
  commonFields: Fields = {},
): Logs {
  if (level === 'off') return { log: SILENT, observers: [] }
  const lineOf = format === 'json' ? jsonLine : textLine
  const droppedLine = (count: number) =>
    lineOf(Date.now(), 'warn', 'log lines dropped: the log is not being read', { ...commonFields, dropped: count })
  const writer = createLogWriter(writeText, { droppedLine })
  // Events are rare and may be urgent: they are not buffered.
  const writeNow = (line: string) => {
    writer.write(line)
    writer.flush()
  }
  const log = createLog(writeNow, Date.now, commonFields, format)
  const requests =
    level === 'requests' ? createRequestLog({ write: writer.write, format, clock: Date.now, commonFields }) : undefined
  onExit(() => {
    requests?.stop()
    writer.flushLast()
  })
  return { log, observers: requests ? [requests] : [] }
}
