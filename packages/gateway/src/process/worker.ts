// A worker's side of the conversation with the parent that started it: see supervise.ts.

/** `first`: opens the port and greets. `joins`: shares it. Both wait for all the others. `again`: in place of a dead one. */
export type Part = 'first' | 'joins' | 'again'
export type Start = { number: number; part: Part; port: number }
/** About the certificate: open a listener with a new one, tell the kernel where new connections go, close the former. */
export type Question = { say: 'question'; id: number; about: 'renew' | 'steer' | 'retire'; to?: number }
export type ToWorker = { say: 'ready' } | Question
export type FromWorker = { say: 'listening'; port: number } | { say: 'answer'; id: number; yes: boolean }

export type Worker = {
  number: number
  part: Part
  /** Tells the parent where this one listens; resolves when all of them do. */
  listening(port: number): Promise<void>
  answers(answer: (question: Question) => boolean): void
}

/** The part of `process` that is used; the other end is the parent. */
export type Channel = {
  send(message: FromWorker): void
  onMessage(hear: (message: ToWorker) => void): void
}

/** As one variable of the worker's environment. */
export const describeStart = ({ number, part }: Start): string => `${number} ${part}`

export function joinParent(described: string, channel: Channel): Worker {
  const [number = '', part = ''] = described.split(' ')
  if (part !== 'first' && part !== 'joins' && part !== 'again') throw new Error(`no such part: ${described}`)
  const ready = Promise.withResolvers<void>()
  let answer = (_: Question): boolean => false
  channel.onMessage((message) => {
    if (message.say === 'ready') ready.resolve()
    else channel.send({ say: 'answer', id: message.id, yes: answer(message) })
  })
  return {
    number: Number(number),
    part,
    async listening(port) {
      channel.send({ say: 'listening', port })
      // The others have been serving for long.
      if (part !== 'again') await ready.promise
    },
    answers(next) {
      answer = next
    },
  }
}
