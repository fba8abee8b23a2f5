// Buffers log lines and writes them together, since a system call costs more than formatting a line.
// If the reader is too slow, lines are dropped, and a line reports how many.

/** Writes without blocking; `done` is called when the text is written or cannot be. */
export type WriteText = (text: string, done: () => void) => void

/** Where the log goes. */
export type LogTarget = {
  write: WriteText
  /** At exit, when nothing can be waited for: this text, which may be empty, and what a write in progress has not written. */
  writeLast(text: string): void
}

export type LogWriter = {
  /** A complete line, including the line break. */
  write(line: string): void
  /** Writes the buffer, unless a write is in progress. */
  flush(): void
  /** At exit: writes the buffer even if a write is in progress. What does not fit into the pipe is lost. */
  flushLast(): void
}

const FLUSH_AFTER_MS = 100
const FLUSH_AT = 32 * 1024
/** Maximum size of the buffer, in characters. */
const MAX_BUFFERED = 1024 * 1024

type Options = {
  /** The log line that reports the number of dropped lines. */
  droppedLine(count: number): string
  maxBuffered?: number
  /** Runs after so many milliseconds; returns a function that cancels it. */
  after?(ms: number, run: () => void): () => void
}

export function createLogWriter(
  target: LogTarget,
  { droppedLine, maxBuffered = MAX_BUFFERED, after = unrefTimer }: Options,
): LogWriter {
  let buffered = ''
  let dropped = 0
  let isWriting = false
  let cancel: (() => void) | undefined

  function take(): string {
    cancel?.()
    cancel = undefined
    const text = dropped === 0 ? buffered : buffered + droppedLine(dropped)
    buffered = ''
    dropped = 0
    return text
  }

  function flush(): void {
    if (isWriting || (buffered === '' && dropped === 0)) return
    isWriting = true
    target.write(take(), written)
  }

  function written(): void {
    isWriting = false
    // Lines were buffered during the write: they have waited long enough.
    if (buffered !== '' || dropped > 0) flush()
  }

  return {
    write(line) {
      // After a dropped line, all further lines are dropped until the report is written, so that it stands in the right place.
      if (dropped > 0 || buffered.length + line.length > maxBuffered) {
        dropped += 1
        if (!isWriting) flush()
        return
      }
      buffered += line
      if (buffered.length >= FLUSH_AT) flush()
      else if (!isWriting) cancel ??= after(FLUSH_AFTER_MS, flush)
    },
    flush,
    flushLast() {
      target.writeLast(take())
    },
  }
}

/** A pending log line does not keep the process alive. */
function unrefTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Bun writes to pipes, sockets and terminals without blocking, and buffers what they do not accept yet. */
const writeToStandardError: WriteText = (text, done) => void process.stderr.write(text, () => done())

export const STANDARD_ERROR: LogTarget = {
  write: writeToStandardError,
  writeLast: (text) => text !== '' && writeToStandardError(text, () => {}),
}
