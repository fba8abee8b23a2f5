// Asks for an answer and follows its stream.

import { errorIn, field } from '../../../api/body.ts'
import { callGateway, readEvents, unreached } from '../call-gateway.ts'
import { begin, end, type History } from '../history/history.ts'
import { failed, type Outcome } from '../history/outcome.ts'
import { type Answer, type Conversation, requestFor, type Settings, type Turn, withEvent } from './conversation.ts'

/** How often the screen follows the stream. */
const FLUSH_MS = 50

/** Adds the answer to these turns to the conversation, as it arrives. */
export async function ask(
  history: Pick<History<Conversation>, 'find' | 'put'>,
  id: string,
  turns: readonly Turn[],
  settings: Settings,
): Promise<Outcome> {
  const began = performance.now()
  const signal = begin(id)
  let answer: Answer = {
    role: 'assistant',
    settings,
    text: '',
    reasoning: '',
    calls: [],
    outcome: { state: 'running' },
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (store: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const at = history.find(id)?.at ?? Date.now()
    history.put({ id, at, turns: [...turns, answer] }, store)
  }
  const settle = (change: Partial<Outcome>): Outcome => {
    end(id)
    answer = { ...answer, outcome: { ...answer.outcome, ...change, totalMs: performance.now() - began } }
    show(true)
    return answer.outcome
  }
  show(true)
  const called = await callGateway('v1/chat/completions', { body: requestFor(turns, settings), signal })
  answer = { ...answer, outcome: { ...answer.outcome, ...(called.requestId ? { requestId: called.requestId } : {}) } }
  if (!called.ok) return settle(failed(called.error))
  try {
    for await (const event of readEvents(called.response)) {
      if (field(event, 'error') !== undefined) return settle(failed(errorIn(event)))
      const next = withEvent(answer, event)
      const isFirst = next.outcome.firstMs === undefined && hasContent(next)
      answer = isFirst ? { ...next, outcome: { ...next.outcome, firstMs: performance.now() - began } } : next
      timer ??= setTimeout(show, FLUSH_MS, false)
    }
    return settle(signal.aborted ? { state: 'stopped' } : { state: 'done' })
  } catch {
    return settle(failed(unreached(signal)))
  }
}

const hasContent = ({ text, reasoning, calls }: Answer): boolean => text !== '' || reasoning !== '' || calls.length > 0
