// Where log lines go: gathered for a moment and written together, since a system call costs more than making the line.
// Nobody may be reading: what cannot be written in time is dropped, and the reader is told how much.

/** Writes without blocking; `done` is called when the text has left, or never will. */
export type WriteText = (text: string, done: () => void) => void

export type LogWriter = {
  /** A whole line with its end. */
  write(line: string): void
  /** Writes what has been gathered, unless an earlier write is under way. */
  flush(): void
  /** At exit: writes what has been gathered, whatever is under way. What does not fit into the pipe is lost. */
  flushLast(): void
}

const WAIT_MS = 100
const FLUSH_AT = 32 * 1024
/** Characters that are kept while nobody reads. */
const MOST_KEPT = 1024 * 1024

type Options = {
  /** How many lines were lost, as a line of the log. */
  droppedLine(count: number): string
  mostKept?: number
  /** Milliseconds; gives the function that calls it off. */
  after?(ms: number, run: () => void): () => void
}

export function createLogWriter(
  writeText: WriteText,
  { droppedLine, mostKept = MOST_KEPT, after = unrefTimer }: Options,
): LogWriter {
  let gathered = ''
  let dropped = 0
  let isWriting = false
  let callOff: (() => void) | undefined

  function take(): string {
    callOff?.()
    callOff = undefined
    const text = dropped === 0 ? gathered : gathered + droppedLine(dropped)
    gathered = ''
    dropped = 0
    return text
  }

  function flush(): void {
    if (isWriting || (gathered === '' && dropped === 0)) return
    isWriting = true
    writeText(take(), written)
  }

  function written(): void {
    isWriting = false
    // More has come while nobody read: it has waited long enough.
    if (gathered !== '' || dropped > 0) flush()
  }

  return {
    write(line) {
      // Once something was dropped, all that follows is, until the reader can be told between which lines.
      if (dropped > 0 || gathered.length + line.length > mostKept) {
        dropped += 1
        if (!isWriting) flush()
        return
      }
      gathered += line
      if (gathered.length >= FLUSH_AT) flush()
      else if (!isWriting) callOff ??= after(WAIT_MS, flush)
    },
    flush,
    flushLast() {
      if (gathered !== '' || dropped > 0) writeText(take(), () => {})
    },
  }
}

/** Waiting for a log line keeps no process alive. */
function unrefTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Bun writes to pipes, sockets and terminals without blocking, and keeps what they do not take yet. */
export const writeToStandardError: WriteText = (text, done) => void process.stderr.write(text, () => done())
