// A chat client that can disconnect at any moment.
import type { Upstream } from '../upstreams/raw-upstream.ts'

const MESSAGES = [{ role: 'user', content: 'Tell me something of about this length.' }]

/** A chat request of the length that the expected costs are computed for. */
export const chatBody = (model: string, streamed: boolean, more: object = {}) => ({
  model,
  messages: MESSAGES,
  stream: streamed,
  ...more,
})

/** `readUntil` returns the text up to and including `part`. */
export async function openClient(url: string, secret: string, body: object) {
  const abort = new AbortController()
  const response = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: abort.signal,
  })
  response.catch(() => {})
  return {
    response,
    disconnect: () => abort.abort(),
    async readUntil(part: string): Promise<string> {
      const reader = (await response).body?.getReader()
      let text = ''
      while (!text.includes(part)) {
        const read = await reader?.read()
        if (!read || read.done) throw new Error(`the stream ended without ${part}: ${text}`)
        text += Buffer.from(read.value).toString()
      }
      reader?.releaseLock()
      return text
    },
  }
}

/** Resolves when the upstream has received another request. */
export async function requestReceived(place: Upstream, before: number): Promise<void> {
  while (place.received.length <= before) await Bun.sleep(5)
}
