// What a function answered, as a caller says it: `{output}`, `{error}`, or any object of its own.

import { asObject, isObject, type Json, readName, wrong } from '../../../canonical/reading.ts'
import type { MediaPart, ResultPart, TextPart } from '../../../canonical/request.ts'
import type { CallMatcher } from './call-ids.ts'
import { readFile, readInline } from './decode-media.ts'
import { camel, type Left, listOf } from './fields.ts'

export function readResult(value: unknown, at: string, calls: CallMatcher, left: Left): ResultPart {
  const given = camel(asObject(value, at))
  const name = readName(given, 'name', at)
  const response = given.response ?? {}
  if (!isObject(response)) throw wrong(`${at}.response`, `${at}.response must be an object`)
  for (const field of ['willContinue', 'scheduling']) {
    if (given[field] !== undefined && given[field] !== null) left.add(`contents.parts.functionResponse.${field}`)
  }
  const { text, isError } = outputOf(response)
  const parts: (TextPart | MediaPart)[] = text === '' ? [] : [{ type: 'text', text }]
  for (const [index, one] of listOf(given.parts, `${at}.parts`).entries()) {
    const path = `${at}.parts[${index}]`
    const part = camel(asObject(one, path))
    if (isObject(part.inlineData)) parts.push(readInline(part.inlineData, `${path}.inlineData`))
    else if (isObject(part.fileData)) parts.push(readFile(part.fileData, `${path}.fileData`))
    else left.add('contents.parts.functionResponse.parts')
  }
  return {
    type: 'result',
    callId: calls.result(readName(given, 'id', at), name),
    ...(name === undefined ? {} : { name }),
    parts,
    ...(isError ? { isError: true as const } : {}),
    at,
  }
}

/** `output` and `error` have a meaning only where nothing stands beside them; otherwise the whole object is the output. */
function outputOf(response: Json): { text: string; isError: boolean } {
  const names = Object.keys(response)
  const only = names.length === 1 ? names[0] : undefined
  if (only === 'output' || only === 'error') return { text: textOf(response[only]), isError: only === 'error' }
  return { text: names.length === 0 ? '' : JSON.stringify(response), isError: false }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
