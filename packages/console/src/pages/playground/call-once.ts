// One call with one answer, which is kept in the history as it goes.
import { callGateway, unreached } from './call-gateway.ts'
import type { Entry } from './history/entry.ts'
import { begin, end, type History } from './history/history.ts'
import { failed, type Outcome } from './history/outcome.ts'

export type CallEntry<Settings, Answer> = Entry & { settings: Settings; answer?: Answer; outcome: Outcome }

/** `read`: the answer of a response that is no error. Throws if the connection is lost, or the answer is none. */
export async function callOnce<Settings, Answer>(
  history: Pick<History<CallEntry<Settings, Answer>>, 'put'>,
  asked: Entry & { settings: Settings },
  { path, body }: { path: string; body: object },
  read: (response: Response) => Promise<Answer>,
): Promise<Outcome> {
  const began = performance.now()
  const signal = begin(asked.id)
  let entry: CallEntry<Settings, Answer> = { ...asked, outcome: { state: 'running' } }
  const show = (change: Partial<CallEntry<Settings, Answer>>, store = false) => {
    entry = { ...entry, ...change }
    history.put(entry, store)
  }
  const settle = (change: Partial<Outcome>, answer?: Answer): Outcome => {
    end(asked.id)
    const outcome = { ...entry.outcome, ...change, totalMs: performance.now() - began }
    show({ outcome, ...(answer === undefined ? {} : { answer }) }, true)
    return outcome
  }
  show({})
  const called = await callGateway(path, { body, signal })
  if (called.requestId) show({ outcome: { ...entry.outcome, requestId: called.requestId } })
  if (!called.ok) return settle(failed(called.error))
  try {
    return settle({ state: 'done' }, await read(called.response))
  } catch {
    return settle(failed(unreached(signal)))
  }
}
