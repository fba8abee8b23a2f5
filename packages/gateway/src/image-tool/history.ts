// Images of earlier responses, as the caller sends them back: for the model they are calls of its function. It sees the last of them,
// if it takes images. Where it may have images changed, it learns their names, and those of the images in messages.

import { isObject, type Json } from '@trivium/protocol/canonical/reading.ts'
import type { MediaPart, Part, TextPart, Turn } from '@trivium/protocol/canonical/request.ts'

export const IMAGE_ITEM = 'image_generation_call'
/** Where an item stands in the caller's request. */
const PLACE = /^input\[(\d+)\]$/

/** What the model is told of an image. */
const MADE = 'The image was made and is shown to the user.'
export const NOT_MADE = 'The image was not made.'
/** `name`: absent where the model cannot have it changed. */
export const madeText = (name?: string): string => (name === undefined ? MADE : `${MADE} Its name is ${name}.`)

export type ImageNames = (part: Part) => string | undefined

/** The parts that stand for images that were made, and what they show. */
export function madeImages(turns: readonly Turn[]): Map<Part, MediaPart> {
  const made = new Map<Part, MediaPart>()
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.type === 'foreign' && part.image) made.set(part, part.image)
  }
  return made
}

/** `body`: the caller's request. `seen`: the images that the model is shown. A result stands between what the model said before it and after it. */
export function withImageCalls(
  turn: Turn,
  functionName: string,
  body: Json,
  nameOf: ImageNames,
  seen: ReadonlyMap<Part, MediaPart>,
): Turn[] {
  const turns: Turn[] = []
  let parts: Part[] = []
  for (const part of turn.parts) {
    if (part.type === 'media') parts.push(...labelled(part, nameOf(part)))
    else if (part.type !== 'foreign' || part.what !== IMAGE_ITEM) parts.push(part)
    else {
      const { id, values, isMade } = readItem(part.at, body)
      const shown = seen.get(part)
      const call: Part = { type: 'call', id, name: functionName, arguments: JSON.stringify(values), custom: false }
      const said: Part = {
        type: 'result',
        callId: id,
        name: functionName,
        parts: [{ type: 'text', text: isMade ? madeText(nameOf(part)) : NOT_MADE }, ...(shown ? [shown] : [])],
        ...(isMade ? {} : { isError: true }),
      }
      turns.push({ ...turn, parts: [...parts, call] }, { role: 'user', parts: [said] })
      parts = []
    }
  }
  return parts.length === 0 && turns.length > 0 ? turns : [...turns, { ...turn, parts }]
}

function labelled(part: Part, name: string | undefined): Part[] {
  const label: TextPart = { type: 'text', text: `${name}:` }
  return name === undefined ? [part] : [label, part]
}

/** An empty one if there is none. */
export function itemAt(at: string, { input }: Json): Json {
  const found: unknown = Array.isArray(input) ? input[placeOf(at)] : undefined
  return isObject(found) ? found : {}
}

const placeOf = (at: string): number => Number(PLACE.exec(at)?.[1])

function readItem(at: string, body: Json): { id: string; values: Json; isMade: boolean } {
  const { revised_prompt: prompt, status, action } = itemAt(at, body)
  return {
    // Not the item's own: services limit the length and the letters of ids.
    id: `call_image_${placeOf(at)}`,
    values: { prompt: typeof prompt === 'string' ? prompt : '', ...(action === 'edit' ? { action } : {}) },
    isMade: status !== 'failed',
  }
}
