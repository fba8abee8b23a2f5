// Most requests are texts and a few settings, each of which is checked by itself. Reading all of such a request in canonical
// terms would find nothing wrong, and pass-through does not need the canonical form.
import { isObject } from '../../../canonical/reading.ts'

/** What `readChatRequest` checks as strictly as `decodeRequest` does. */
const CHECKED: ReadonlySet<string> = new Set(
  'model messages stream stream_options temperature top_p max_tokens max_completion_tokens n'.split(' '),
)
const SPEAKERS: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant'])

/** Of a body that `readChatRequest` has taken: `decodeRequest` takes it, too, and finds neither tools, media nor ids in it. */
export function isPlain(body: unknown): boolean {
  if (!isObject(body) || !Array.isArray(body.messages)) return false
  for (const name in body) if (!CHECKED.has(name)) return false
  for (const message of body.messages) if (!isPlainMessage(message)) return false
  return true
}

function isPlainMessage(message: unknown): boolean {
  if (!isObject(message) || typeof message.content !== 'string' || !SPEAKERS.has(message.role)) return false
  for (const name in message) if (name !== 'role' && name !== 'content') return false
  return true
}
