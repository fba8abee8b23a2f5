// Long chat requests are scanned and not parsed, if the scan is enough to say that no guard has anything to look at: every
// tool is a function of the caller's, and messages consist of texts and calls. Whatever else there is, known or not, is for
// the parser.

import type { Codec } from '../../../framing/codec.ts'
import {
  fieldNamed,
  hasValidStrings,
  isFirstMember,
  isTextAt,
  type JsonField,
  type JsonScan,
  MEMBER_NOTE,
  nameAt,
} from '../../../framing/json/json-scan.ts'

/** None of these holds an id, a URL or anything with a price. */
const MESSAGE_MEMBERS: ReadonlySet<string | undefined> = new Set(
  'role content name tool_calls tool_call_id refusal reasoning reasoning_content function_call'.split(' '),
)
const PART_MEMBERS: ReadonlySet<string | undefined> = new Set('type text refusal cache_control'.split(' '))
const FUNCTION = '"function"'
const CUSTOM = '"custom"'

/** Names must have been checked: none comes twice in a tool. */
export function isCheckedByScan(bytes: Uint8Array, scan: JsonScan, codec: Codec): boolean {
  return (
    areCallersTools(bytes, fieldNamed(scan.fields, 'tools')) &&
    areTexts(bytes, fieldNamed(scan.fields, 'messages'), codec) &&
    hasValidStrings(bytes, codec, scan)
  )
}

function areCallersTools(bytes: Uint8Array, tools: JsonField | undefined): boolean {
  if (tools?.kind !== 'array') return true
  const { members, count } = tools
  let callersTools = 0
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    if (members[note + 3] !== -2) continue
    const keyStart = members[note] ?? 0
    if (!isTextAt(bytes, keyStart, (members[note + 1] ?? 0) - keyStart, '"type"')) continue
    const start = members[note + 2] ?? 0
    if (isTextAt(bytes, start, FUNCTION.length, FUNCTION) || isTextAt(bytes, start, CUSTOM.length, CUSTOM))
      callersTools++
  }
  return callersTools === count
}

function areTexts(bytes: Uint8Array, messages: JsonField | undefined, codec: Codec): boolean {
  if (messages?.kind !== 'array') return true
  const { members, count } = messages
  let objects = 0
  let isInContent = false
  let partMember: string | undefined
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    const depth = -(members[note + 3] ?? 0)
    // Of a call, for example, nothing is judged.
    if (depth <= 0 || (depth > 2 && objects > 0 && !isInContent)) continue
    if (depth > 4 && partMember === 'cache_control') continue
    const keyStart = members[note] ?? 0
    const name = nameAt(bytes, keyStart, members[note + 1] ?? 0, codec)
    if (depth === 2) {
      if (!MESSAGE_MEMBERS.has(name)) return false
      if (isFirstMember(bytes, keyStart)) objects++
      isInContent = name === 'content'
      partMember = undefined
    } else if (depth === 4 && PART_MEMBERS.has(name)) partMember = name
    else return false
  }
  return objects === count
}
