// The log in a file instead of standard error: TRIVIUM_LOG_FILE. A disk that fails costs log lines, never a request.

import { close, fstatSync, open, openSync, readSync, write, writeSync } from 'node:fs'
import type { LogTarget } from './log-writer.ts'

type Options = {
  /** The log line that reports the number of lost lines. */
  droppedLine(count: number): string
  /** Called once for each time that the file begins to fail. */
  failed(error: Error): void
}

const MODE = 0o600
/** Appends, and reads what is there. */
const FLAGS = 'a+'

/** Appends; several processes may share the file. Throws if it cannot be opened. */
export function openLogFile(path: string, { droppedLine, failed }: Options): LogTarget & { reopen(): void } {
  let file = openSync(path, FLAGS, MODE)
  let isFailing = false
  let lost = 0
  /** The text of the write that is in progress. */
  let writing: Buffer | undefined
  /** Former files, after a rotation: closed once no write is in progress, which may go to any of them. */
  let former: number[] = []

  function fail(error: Error): void {
    if (!isFailing) failed(error)
    isFailing = true
  }

  function closeFormer(): void {
    if (writing) return
    for (const each of former) close(each, () => {})
    former = []
  }

  return {
    write(text, done) {
      const bytes = Buffer.from(lost === 0 ? text : droppedLine(lost) + text)
      writing = bytes
      write(file, bytes, (error, written) => {
        writing = undefined
        closeFormer()
        if (!error && written === bytes.length) {
          isFailing = false
          lost = 0
        } else {
          lost += linesIn(text)
          fail(error ?? new Error('the disk is full'))
        }
        done()
      })
    },
    writeLast(text) {
      try {
        // A write in progress ends with the process, and may or may not have been done.
        if (writing && !endsWith(file, writing)) writeSync(file, writing)
        if (text !== '') writeSync(file, text)
      } catch {
        // The process ends, and the failure of this disk has been reported.
      }
    },
    reopen() {
      open(path, FLAGS, MODE, (error, opened) => {
        if (error) return fail(error)
        former.push(file)
        file = opened
        closeFormer()
      })
    },
  }
}

/** Whether the file has this text near its end: other processes may have appended more. */
function endsWith(file: number, bytes: Buffer): boolean {
  const length = bytes.length + NEAR_END
  const end = Buffer.alloc(length)
  const read = readSync(file, end, 0, length, Math.max(0, fstatSync(file).size - length))
  return end.subarray(0, read).includes(bytes)
}

const NEAR_END = 64 * 1024

const linesIn = (text: string): number => text.split('\n').length - 1
