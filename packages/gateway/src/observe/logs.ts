// The event log and the request log of a process, in one stream: on standard error, or in a file. TRIVIUM_LOG selects the level.
import { createLog, type Fields, jsonLine, type Log, type LogFormat, textLine } from './log.ts'
import { openLogFile } from './log-file.ts'
import { createLogWriter, STANDARD_ERROR } from './log-writer.ts'
import { createRequestLog } from './request-log.ts'
import type { RequestObserver } from './request-observer.ts'

/** `off`: nothing. `errors`: events, including all errors. `requests`: events and one line per request. */
export type LogLevel = 'off' | 'errors' | 'requests'

/** `observers`: the request log, if it is on. */
export type Logs = {
  log: Log
  observers: readonly RequestObserver[]
  /** Opens the log file anew, after it was renamed by a rotation. */
  reopen(): void
}

export type LogSettings = {
  level: LogLevel
  format: LogFormat
  /** Absent: standard error. */
  file: string | undefined
}

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** `onExit`: registers a callback for the exit of the process. Throws if the file cannot be opened. */
export function openLogs(
  { level, format, file }: LogSettings,
  onExit: (run: () => void) => void,
  commonFields: Fields = {},
): Logs {
  if (level === 'off') return { log: SILENT, observers: [], reopen: () => {} }
  const lineOf = format === 'json' ? jsonLine : textLine
  const droppedLine = (count: number) =>
    lineOf(Date.now(), 'warn', 'log lines dropped: the log is not being read', { ...commonFields, dropped: count })
  const failed = ({ message }: Error) => {
    const fields = { ...commonFields, file, error: message }
    STANDARD_ERROR.writeLast(
      lineOf(Date.now(), 'error', 'log file not written: lines are lost until it can be', fields),
    )
  }
  const logFile = file === undefined ? undefined : openLogFile(file, { droppedLine, failed })
  const writer = createLogWriter(logFile ?? STANDARD_ERROR, { droppedLine })
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
  return { log, observers: requests ? [requests] : [], reopen: () => logFile?.reopen() }
}
