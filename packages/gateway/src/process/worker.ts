// A worker's side of the protocol with its parent process: see supervisor.ts.

/** `first` opens the port and prints the summary, `joins` shares the port; both wait for all workers. `again` replaces a worker that exited. */
export type WorkerRole = 'first' | 'joins' | 'again'
export type Start = { number: number; role: WorkerRole; port: number }
/** Steps of renewing a certificate: open a listener with the new one, steer new connections to it, close the old one. */
export type Question = { say: 'question'; id: number; about: 'renew' | 'steer' | 'retire'; to?: number }
export type ToWorker = { say: 'ready' } | Question
export type FromWorker = { say: 'listening'; port: number } | { say: 'answer'; id: number; yes: boolean }

export type Worker = {
  number: number
  role: WorkerRole
  /** Reports the port to the parent; resolves when all workers listen. */
  listening(port: number): Promise<void>
  answers(answer: (question: Question) => boolean): void
}

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
  channel.onMessage((message) => {
    if (message.say === 'ready') ready.resolve()
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
  }
}
