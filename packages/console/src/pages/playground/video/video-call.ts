// Video tasks: submitted, asked for until they end, cancelled.

import { errorIn, field, parsed, textField } from '../../../api/body.ts'
import { callGateway } from '../call-gateway.ts'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import { failed, type Outcome } from '../history/outcome.ts'

/** As chosen; empty: the model's own default. `picture`: the first frame, as a data URL. */
export type VideoSettings = {
  model: string
  prompt: string
  seconds: string
  resolution: string
  ratio: string
  picture: string
}

/** `status`: as the task says. `url`: signed, and valid for a day; the task tells a new one. */
export type VideoEntry = Entry & {
  settings: VideoSettings
  task: string
  status: string
  url: string
  outcome: Outcome
}

export const TASKS = 'api/v3/contents/generations/tasks'

export const isEnded = ({ outcome, status }: VideoEntry): boolean =>
  outcome.state !== 'running' || !['queued', 'running', 'submitting'].includes(status)

export function videoBody({ model, prompt, seconds, resolution, ratio, picture }: VideoSettings) {
  return {
    model,
    content: [
      { type: 'text', text: prompt },
      ...(picture === '' ? [] : [{ type: 'image_url', image_url: { url: picture }, role: 'first_frame' }]),
    ],
    ...(seconds === '' ? {} : { duration: Number(seconds) }),
    ...(resolution === '' ? {} : { resolution }),
    ...(ratio === '' ? {} : { ratio }),
  }
}

type VideoHistory = Pick<History<VideoEntry>, 'put' | 'find'>

export async function submitVideo(history: VideoHistory, entry: VideoEntry): Promise<void> {
  history.put(entry, false)
  const called = await callGateway(TASKS, { body: videoBody(entry.settings) })
  const requestId = called.requestId ? { requestId: called.requestId } : {}
  if (!called.ok) {
    history.put({ ...entry, outcome: { ...failed(called.error), ...requestId } })
    return
  }
  const task = textField(parsed(await called.response.text()), 'id')
  history.put({ ...entry, task, status: 'queued', outcome: { state: 'running', ...requestId } })
}

/** What the task says now. A call that fails for the moment changes nothing. */
export async function refreshVideo(history: VideoHistory, id: string, signal: AbortSignal): Promise<void> {
  const before = history.find(id)
  if (!before || before.task === '') return
  const called = await callGateway(`${TASKS}/${encodeURIComponent(before.task)}`, { signal })
  const answer = called.ok ? parsed(await called.response.text().catch(() => '')) : undefined
  const entry = history.find(id)
  if (!entry) return
  if (!called.ok) {
    if (called.error.status === 404)
      history.put({ ...entry, url: '', status: 'expired', outcome: { ...entry.outcome, state: 'done' } })
    return
  }
  const status = textField(answer, 'status')
  if (status === '') return
  const url = textField(field(answer, 'content'), 'video_url')
  history.put({ ...entry, status, url, outcome: outcomeOf(entry, status, answer) })
}

function outcomeOf({ outcome, at }: VideoEntry, status: string, answer: unknown): Outcome {
  if (status === 'queued' || status === 'running') return outcome
  const totalMs = outcome.totalMs ?? Date.now() - at
  if (status === 'succeeded') return { ...outcome, totalMs, state: 'done' }
  if (status === 'cancelled') return { ...outcome, totalMs, state: 'stopped' }
  return { ...outcome, totalMs, state: 'failed', ...(field(answer, 'error') ? { error: errorIn(answer) } : {}) }
}

/** undefined: done. */
export async function cancelVideo({ task }: VideoEntry) {
  const called = await callGateway(`${TASKS}/${encodeURIComponent(task)}`, { method: 'DELETE' })
  return called.ok ? undefined : called.error
}
