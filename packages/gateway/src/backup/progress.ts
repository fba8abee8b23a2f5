/** Tells a person that long work goes on. */
export type Progress = (message: string) => void

const EVERY_MS = 2_000

/** Short work says nothing, and long work a line from time to time. */
export function createProgress(print: Progress, now: () => number = () => performance.now()): Progress {
  let next = now() + EVERY_MS
  return (message) => {
    if (now() < next) return
    next = now() + EVERY_MS
    print(message)
  }
}
