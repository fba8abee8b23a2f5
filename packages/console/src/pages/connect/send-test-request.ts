// A request with the new key to the gateway's own endpoint, as any client would send it.

import { type ApiError, read } from '../../api/client.ts'
import type { Receipt } from '../../api/types.ts'
import { GATEWAY_PATH } from '../../app/base-path.ts'
import { exampleRequest, httpRequest } from '../../snippets/endpoints.ts'

export type TestAnswer = { requestId: string; text: string; ms: number }
export type TestResult = { ok: true; answer: TestAnswer } | { ok: false; status: number; message: string }

type ChatBody = { choices?: { message?: { content?: string | null } }[]; error?: { message?: string } }

export async function sendTestRequest(secret: string, model: string, prompt: string): Promise<TestResult> {
  // The console is served by the gateway itself: its origin is reachable, whatever the public URL is.
  const access = { baseUrl: window.location.origin + GATEWAY_PATH, secret }
  const { url, headers, body } = httpRequest(exampleRequest('chat', model, prompt), access)
  const start = performance.now()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
    })
    const parsed = (await response.json()) as ChatBody
    const ms = performance.now() - start
    if (!response.ok) return { ok: false, status: response.status, message: parsed.error?.message ?? '' }
    const text = parsed.choices?.[0]?.message?.content ?? ''
    return { ok: true, answer: { requestId: response.headers.get('x-request-id') ?? '', text, ms } }
  } catch {
    return { ok: false, status: 0, message: '' }
  }
}

const POLLS = 20
const PAUSE_MS = 250

/** The receipt once the cost is final; it is booked in the moment in which the response ends. */
export async function finalReceipt(requestId: string): Promise<Receipt | ApiError> {
  for (let poll = 1; ; poll++) {
    const result = await read('requests/{id}', { id: requestId })
    const isFinal = result.ok && result.value.outcome !== 'running'
    if (isFinal || poll === POLLS) return result.ok ? result.value : result.error
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
