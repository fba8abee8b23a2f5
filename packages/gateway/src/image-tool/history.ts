// Images of earlier responses, as the caller sends them back: for the model they are calls of its function. It does not see them.

import { isObject, type Json } from '@trivium/protocol/canonical/reading.ts'
import type { Part, Turn } from '@trivium/protocol/canonical/request.ts'
import { MADE, NOT_MADE } from './make-image.ts'

const IMAGE_ITEM = 'image_generation_call'
/** Where an item stands in the caller's request. */
const PLACE = /^input\[(\d+)\]$/

/** `body`: the caller's request. A result stands between what the model said before it and after it. */
export function withImageCalls(turn: Turn, functionName: string, body: Json): Turn[] {
  if (!turn.parts.some((part) => part.type === 'foreign' && part.what === IMAGE_ITEM)) return [turn]
  const turns: Turn[] = []
  let parts: Part[] = []
  for (const part of turn.parts) {
    if (part.type !== 'foreign' || part.what !== IMAGE_ITEM) parts.push(part)
    else {
      const { id, prompt, isMade } = readItem(part.at, body)
      const call: Part = { type: 'call', id, name: functionName, arguments: JSON.stringify({ prompt }), custom: false }
      const said: Part = {
        type: 'result',
        callId: id,
        name: functionName,
        parts: [{ type: 'text', text: isMade ? MADE : NOT_MADE }],
        ...(isMade ? {} : { isError: true }),
      }
      turns.push({ ...turn, parts: [...parts, call] }, { role: 'user', parts: [said] })
      parts = []
    }
  }
  return parts.length === 0 ? turns : [...turns, { ...turn, parts }]
}

function readItem(at: string, { input }: Json): { id: string; prompt: string; isMade: boolean } {
  const index = Number(PLACE.exec(at)?.[1])
  const found: unknown = Array.isArray(input) ? input[index] : undefined
  const { revised_prompt: prompt, status }: Json = isObject(found) ? found : {}
  return {
    // Not the item's own: services limit the length and the letters of ids.
    id: `call_image_${index}`,
    prompt: typeof prompt === 'string' ? prompt : '',
    isMade: status !== 'failed',
  }
}
