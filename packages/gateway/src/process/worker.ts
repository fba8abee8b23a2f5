// A worker's side of the protocol with its parent process: see supervisor.ts.
import type { Snapshot } from '../observe/metrics/snapshot.ts'

/** `first` opens the port and prints the summary, `joins` shares the port; both wait for all workers. `again` replaces a worker that exited. */
export type WorkerRole = 'first' | 'joins' | 'again'
export type Start = { number: number; role: WorkerRole; port: number }
/** Steps of renewing a certificate: open a listener with the new one, steer new connections to it, close the old one. */
export type Question = { say: 'question'; id: number; about: 'renew' | 'steer' | 'retire'; to?: number }
export type ToWorker =
  | { say: 'ready' }
  | Question
  /** A scrape of another worker needs the metrics of this one. */
  | { say: 'count' }
  /** The parent has the metrics that were sent. */
  | { say: 'counted' }
  /** The metrics of the other workers, and the sum of those that have ended. */
  | { say: 'metrics'; snapshots: Snapshot[] }
export type FromWorker =
  | { say: 'listening'; port: number }
  | { say: 'answer'; id: number; yes: boolean }
  | { say: 'count'; snapshot: Snapshot }
  /** This worker is scraped. */
  | { say: 'metrics' }

export type Worker = {
  number: number
  role: WorkerRole
  /** Reports the port to the parent; resolves when all workers listen. */
  listening(port: number): Promise<void>
  answers(answer: (question: Question) => boolean): void
  /** Reports the metrics of this worker: when the parent asks, every few seconds, and once more when `stop` is called. */
  reportMetrics(count: () => Snapshot): { stop(): Promise<void> }
  /** The metrics of all other workers. */
  otherMetrics(): Promise<readonly Snapshot[]>
}

/** What a worker counted since its last report is lost if it is killed. */
const REPORT_EVERY_MS = 3_000
/** A parent that does not answer must delay neither a scrape nor a shutdown. It waits for other workers for less. */
const ANSWER_WITHIN_MS = 2_000

/** The messages of `process`, from and to the parent. */
export type Channel = {
  send(message: FromWorker): void
  onMessage(hear: (message: ToWorker) => void): void
}

/** Encoded as one environment variable of the worker. */
export const describeStart = ({ number, role }: Start): string => `${number} ${role}`

export function joinParent(described: string, channel: Channel): Worker {
  const [number = '', role = ''] = described.split(' ')
  if (role !== 'first' && role !== 'joins' && role !== 'again') throw new Error(`invalid worker role: ${described}`)
  const ready = Promise.withResolvers<void>()
  let answer = (_: Question): boolean => false
  let report = (): void => {}
  let onCounted = (): void => {}
  let onMetrics = (_: readonly Snapshot[]): void => {}
  channel.onMessage((message) => {
    if (message.say === 'ready') ready.resolve()
    else if (message.say === 'count') report()
    else if (message.say === 'counted') onCounted()
    else if (message.say === 'metrics') onMetrics(message.snapshots)
    else channel.send({ say: 'answer', id: message.id, yes: answer(message) })
  })
  return {
    number: Number(number),
    role,
    async listening(port) {
      channel.send({ say: 'listening', port })
      // The other workers are already serving.
      if (role !== 'again') await ready.promise
    },
    answers(next) {
      answer = next
    },
    reportMetrics(count) {
      report = () => channel.send({ say: 'count', snapshot: count() })
      const timer = setInterval(report, REPORT_EVERY_MS)
      timer.unref()
      return {
        async stop() {
          clearInterval(timer)
          const counted = new Promise<void>((resolve) => {
            onCounted = resolve
          })
          report()
          await Promise.race([counted, Bun.sleep(ANSWER_WITHIN_MS)])
        },
      }
    },
    async otherMetrics() {
      const snapshots = new Promise<readonly Snapshot[]>((resolve) => {
        onMetrics = resolve
      })
      channel.send({ say: 'metrics' })
      return await Promise.race([snapshots, Bun.sleep(ANSWER_WITHIN_MS).then(() => [])])
    },
  }
}
