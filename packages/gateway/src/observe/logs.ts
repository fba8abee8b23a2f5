// The event log and the request log of a process, in one stream. TRIVIUM_LOG selects the level.
import { createLog, type Fields, jsonLine, type Log, type LogFormat, textLine } from './log.ts'
import { createLogWriter, type WriteText } from './log-writer.ts'
import { createRequestLog, NO_REQUEST_LOG, type RequestLog } from './request-log.ts'

/** `off`: nothing. `errors`: events, including all errors. `requests`: events and one line per request. */
export type LogLevel = 'off' | 'errors' | 'requests'

export type Logs = { log: Log; requests: RequestLog }

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** `onExit`: registers a callback for the exit of the process. */
export function openLogs(
  level: LogLevel,
  format: LogFormat,
  writeText: WriteText,
  onExit: (run: () => void) => void,
  commonFields: Fields = {},
): Logs {
  if (level === 'off') return { log: SILENT, requests: NO_REQUEST_LOG }
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
  const monotonic = () => performance.now()
  const requests =
    level === 'requests'
      ? createRequestLog({ write: writer.write, format, clock: Date.now, monotonic, commonFields })
      : NO_REQUEST_LOG
  onExit(() => {
    requests.stop()
    writer.flushLast()
  })
  return { log, requests }
}
