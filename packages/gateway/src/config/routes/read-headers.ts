// Headers that a route sets, fills in and leaves out.
import type { HeaderEdits } from '../../modalities/route-edits.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { entriesOf, fieldsOf, listOf, quote } from '../../yaml/fields.ts'
import { readText } from '../../yaml/scalars.ts'

const FIELDS = { set: true, default: true, drop: true } as const
const EXAMPLE = 'headers: { set: { x-team: search } }'
const MOST_HEADERS = 32
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const VALUE = /^[\x20-\x7e]{1,1024}$/

/** Credentials, what frames a message, and what the gateway says of itself. */
const RESERVED =
  /^(authorization|cookie|host|connection|upgrade|te|trailer|transfer-encoding|keep-alive|expect|accept|accept-encoding|user-agent|traceparent|tracestate|baggage|api-key|x-api-key|x-goog-api-key|x-amz-.*|x-client-request-id|content-.*|proxy-.*|sec-.*)$/

export function readHeaders(value: YamlValue): HeaderEdits | undefined {
  const fields = fieldsOf(value, FIELDS, EXAMPLE)
  if (!fields) return undefined
  const [set, usual] = [valuesIn(fields.get('set')), valuesIn(fields.get('default'))]
  const drop = fields.optional('drop', listOf(readName, '[anthropic-beta]'), [])
  const names = [...Object.keys(set), ...Object.keys(usual), ...drop]
  if (names.length > MOST_HEADERS) addMistake(value, `has more than ${MOST_HEADERS} headers`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) addMistake(value, `${quote(twice)} is in two of set, default and drop; write it in one`)
  return {
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(Object.keys(usual).length > 0 ? { default: usual } : {}),
    ...(drop.length > 0 ? { drop } : {}),
  }
}

function valuesIn(value: YamlValue | undefined): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [written, field] of value ? entriesOf(value, EXAMPLE) : []) {
    const name = checkedName(written, field)
    const text = readText(field)
    if (text !== undefined && !VALUE.test(text)) addMistake(field, 'expected at most 1,024 printable ASCII characters')
    if (name !== undefined && text !== undefined) values[name] = text
  }
  return values
}

function readName(value: YamlValue): string | undefined {
  const text = readText(value)
  return text === undefined ? undefined : checkedName(text, value)
}

function checkedName(written: string, at: YamlValue): string | undefined {
  const name = written.toLowerCase()
  if (!NAME.test(name)) addMistake(at, `${quote(written)} is not the name of a header`)
  else if (RESERVED.test(name))
    addMistake(at, `${quote(written)} is sent by the gateway itself; a route cannot change it`)
  else return name
  return undefined
}
