// What is stored of a response: the items that later requests continue from, in the form in which every upstream takes them, and
// the response as clients query it.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import { objectsIn } from '../../shared/pass-through/request.ts'
import { hasOwnReasoningId, hasReasoningText } from '../request/stored-state.ts'

export type EndedResponse = Json & { id: string; output: Json[] }

const TERMINAL: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done'])
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'incomplete'])

/** `text`: a response, or the last events of its stream. undefined: it has not ended as one that can be continued. */
export function endedResponse(text: string): EndedResponse | undefined {
  const response = text.trimStart().startsWith('{') ? parsedJson(text) : lastResponse(text)
  if (!isObject(response) || typeof response.id !== 'string' || !ENDED.has(response.status)) return undefined
  return { ...response, id: response.id, output: objectsIn(response.output).map(([item]) => item) }
}

function lastResponse(frames: string): unknown {
  for (const line of frames.split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue
    const event = parsedJson(line.slice('data:'.length))
    if (isObject(event) && TERMINAL.has(event.type)) return event.response
  }
  return undefined
}

/** JSON of the items that a later request begins with, separated by commas. */
export const continuedItems = (output: readonly Json[]): string =>
  output
    .flatMap((item) => continuedItem(item) ?? [])
    .map((item) => JSON.stringify(item))
    .join(',')

export const idsOf = (items: readonly Json[]): string[] =>
  items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))

/**
 * An item in the form in which a later request sends it. Vendors look an item with an id up in a store of their own, which has
 * none of these. undefined: it cannot be continued.
 */
export function continuedItem(item: Json): Json | undefined {
  const { id: _, status: __, ...unnamed } = item
  switch (item.type) {
    case 'reasoning':
      return isContinuedReasoning(item) ? item : undefined
    case 'message':
    case 'function_call':
    case 'custom_tool_call':
      return unnamed
    default:
      return item
  }
}

/**
 * Encrypted reasoning, and reasoning in full, which open models take back as it is. A vendor's own summary is none of it: the vendor
 * would look its id up.
 */
function isContinuedReasoning(item: Json): boolean {
  if (typeof item.encrypted_content === 'string' && item.encrypted_content !== '') return true
  return hasReasoningText(item, [item.content]) || (hasOwnReasoningId(item) && hasReasoningText(item))
}

/** The same response, or the same last events, which say that it cannot be continued. */
export function notStored(text: string): string {
  if (text.trimStart().startsWith('{')) return JSON.stringify({ ...asObject(parsedJson(text)), store: false })
  return text
    .split('\n')
    .map((line) => {
      const event = line.startsWith('data:') ? parsedJson(line.slice('data:'.length)) : undefined
      if (!isObject(event) || !TERMINAL.has(event.type)) return line
      return `data: ${JSON.stringify({ ...event, response: { ...asObject(event.response), store: false } })}`
    })
    .join('\n')
}

const asObject = (value: unknown): Json => (isObject(value) ? value : {})
