// The two logs of a process, in one stream: events, and one line per request. TRIVIUM_LOG says how much of them.
import { createLog, type Fields, jsonLine, type Log, type LogFormat, textLine } from './log.ts'
import { createLogWriter, type WriteText } from './log-writer.ts'
import { createRequestLog, NO_REQUEST_LOG, type RequestLog } from './request-log.ts'

/** `off`: nothing. `errors`: events, among them all errors. `requests`: one line per request besides. */
export type LogLevel = 'off' | 'errors' | 'requests'

export type Logs = { log: Log; requests: RequestLog }

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** `onExit`: calls back when the process ends, in whatever way it can still be told. */
export function openLogs(
  level: LogLevel,
  format: LogFormat,
  writeText: WriteText,
  onExit: (run: () => void) => void,
  always: Fields = {},
): Logs {
  if (level === 'off') return { log: SILENT, requests: NO_REQUEST_LOG }
  const lineOf = format === 'json' ? jsonLine : textLine
  const droppedLine = (count: number) =>
    lineOf(Date.now(), 'warn', 'log lines dropped: the log is not being read', { ...always, dropped: count })
  const writer = createLogWriter(writeText, { droppedLine })
  // Events are few, and somebody may be waiting for them.
  const writeNow = (line: string) => {
    writer.write(line)
    writer.flush()
  }
  const log = createLog(writeNow, Date.now, always, format)
  const monotonic = () => performance.now()
  const requests =
    level === 'requests'
      ? createRequestLog({ write: writer.write, format, clock: Date.now, monotonic, always })
      : NO_REQUEST_LOG
  onExit(() => {
    requests.stop()
    writer.flushLast()
  })
  return { log, requests }
}
