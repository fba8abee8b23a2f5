// Function calls of the model's turns and the responses in the turn after: as many, and of the same names.

import { addCall, addContent, addResult } from '../../../request/conversation.ts'
import { badRequest } from '../../../request/errors.ts'
import { isObject } from '../../../request/fields.ts'
import type { Conversation } from '../../../request/sandbox-request.ts'
import { type ReadPart, readMedia } from './content.ts'
import { readFields, readList } from './fields.ts'

const CALL_FIELDS = new Set(['id', 'name', 'args'])
const RESPONSE_FIELDS = new Set(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling'])
const RESPONSE_PART_FIELDS = new Set(['inlineData', 'fileData'])

/** Calls of the previous turn, in order. */
export type Calls = { id: unknown; name: string }[]

export function readCall({ part, path }: ReadPart, to: Conversation): Calls[number] {
  const at = `${path}.function_call`
  const { id, name, args } = readFields(part.functionCall, at, CALL_FIELDS)
  if (typeof name !== 'string' || name === '') throw badRequest('Name cannot be empty.', `${at}.name`)
  if (args !== undefined && !isObject(args)) throw badRequest('Invalid value: expected an object.', `${at}.args`)
  addCall(to, name, JSON.stringify(args ?? {}))
  return { id, name }
}

export function readResponses(parts: readonly ReadPart[], path: string, to: Conversation, calls: Calls): void {
  if (parts.length !== calls.length) {
    const message =
      calls.length === 0
        ? 'Please ensure that function response turn comes immediately after a function call turn.'
        : 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    throw badRequest(message, path)
  }
  const open = [...calls]
  for (const part of parts) readResponse(part, to, open)
}

function readResponse({ part, path }: ReadPart, to: Conversation, open: Calls): void {
  const at = `${path}.function_response`
  const { id, name, response, parts } = readFields(part.functionResponse, at, RESPONSE_FIELDS)
  if (typeof name !== 'string' || name === '') throw badRequest('Name cannot be empty.', `${at}.name`)
  if (!isObject(response)) throw badRequest('Invalid value: expected an object.', `${at}.response`)
  checkReferences(response, `${at}.response`)
  const byId = id === undefined ? -1 : open.findIndex((call) => call.id === id)
  const found = byId >= 0 ? byId : open.findIndex((call) => call.name === name)
  if (found < 0 || open[found]?.name !== name)
    throw badRequest(`No function call '${name}' waits for this response.`, at)
  open.splice(found, 1)
  addResult(to, { name, ...resultOf(response) })
  readList(parts, `${at}.parts`).forEach((media, index) => {
    const mediaPath = `${at}.parts[${index}]`
    addContent(to, '', readMedia(readFields(media, mediaPath, RESPONSE_PART_FIELDS), mediaPath))
  })
}

/** A key with a dollar sign refers to a part of the response by its name, and here no part has one. */
function checkReferences(response: object, at: string): void {
  JSON.stringify(response, (key, held: unknown) => {
    if (!key.startsWith('$')) return held
    const name = typeof held === 'string' ? held : key
    throw badRequest(
      `The referenced name \`${name}\` in function_response.response does not match to a display_name in the function_response.parts.`,
      at,
    )
  })
}

/** `output` and `error` have a meaning; without them the object as a whole is the output. */
function resultOf(response: { readonly [key: string]: unknown }): { text: string; failed: boolean } {
  const failed = response.error !== undefined && response.error !== null
  const value = failed ? response.error : (response.output ?? response)
  return { text: typeof value === 'string' ? value : JSON.stringify(value), failed }
}
