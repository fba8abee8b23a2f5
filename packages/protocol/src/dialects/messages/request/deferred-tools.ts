// Tools that the model is to see only once a search has found them (`defer_loading`). Agents that search by themselves
// send those found so far, and others to come: a model elsewhere must not see the latter either.

import { isObject, type Json } from '../../../canonical/reading.ts'

/** The tools that the model does not see yet, by name. Undefined: the vendor's own search finds them, which no other vendor has. */
export function waitingTools(body: Json): ReadonlySet<string> | undefined {
  const tools = objectsIn(body.tools)
  const deferred = tools.filter((tool) => tool.defer_loading === true)
  const isSearchedByVendor = tools.some(({ type }) => typeof type === 'string' && type.startsWith('tool_search_tool_'))
  if (deferred.length > 0 && (isSearchedByVendor || deferred.length === tools.length)) return undefined
  const waiting = new Set(deferred.map((tool) => String(tool.name)))
  if (waiting.size > 0) for (const name of knownNames(body)) waiting.delete(name)
  return waiting
}

/** Found, called already, added, or about to be called. */
function knownNames(body: Json): string[] {
  const blocks = objectsIn(body.messages).flatMap((message) => objectsIn(message.content))
  const called = blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name)
  const found = blocks
    .flatMap((block) => (block.type === 'tool_result' ? objectsIn(block.content) : []))
    .filter(({ type }) => type === 'tool_reference')
    .map((reference) => reference.tool_name)
  const added = blocks.flatMap(({ type, tool }) => (type === 'tool_addition' && isObject(tool) ? [tool.name] : []))
  const forced = isObject(body.tool_choice) ? [body.tool_choice.name] : []
  return [...called, ...found, ...added, ...forced].filter((name) => typeof name === 'string')
}

const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
