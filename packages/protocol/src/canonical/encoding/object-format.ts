// Some upstreams take only schemas whose root is an object. Any other schema, such as a list, goes out as the one property of
// an object, and the answer's text comes out of it again.

import type { CanonicalRequest, JsonSchema, OutputFormat } from '../request.ts'

type SchemaFormat = Extract<OutputFormat, { type: 'schema' }>

const PROPERTY = 'value'
/** Definitions are referred to from the root, so they stay there. */
const DEFINITIONS = ['$defs', 'definitions'] as const

export const isObjectSchema = ({ type, properties }: JsonSchema): boolean =>
  type === 'object' || properties !== undefined

/**
 * The format to ask an upstream for that takes only objects. Callers whose own dialect has the same rule get its upstream's
 * word on a schema that breaks it.
 */
export function askedFormat({ format, from }: CanonicalRequest): { format: OutputFormat; valueInObject?: true } {
  if (format.type !== 'schema' || from.hasStrictSwitch || isObjectSchema(format.schema)) return { format }
  return { format: withObjectRoot(format), valueInObject: true }
}

export function withObjectRoot(format: SchemaFormat): SchemaFormat {
  const inner: Record<string, unknown> = { ...format.schema }
  const schema: Record<string, unknown> = {
    type: 'object',
    properties: { [PROPERTY]: inner },
    required: [PROPERTY],
    additionalProperties: false,
  }
  for (const name of DEFINITIONS) {
    if (inner[name] === undefined) continue
    schema[name] = inner[name]
    delete inner[name]
  }
  return { ...format, schema }
}

/** Takes a text piece by piece and gives what is known to belong to the value. */
export type Unwrapper = { push(text: string): string; end(): string }

const OPENING = new RegExp(`^\\s*\\{\\s*"${PROPERTY}"\\s*:\\s*`)
/** No opening of that form is longer, unless it is padded: then it is not ours. */
const LONGEST_OPENING = 256

/** `{"value":[1,2]}` -> `[1,2]`. A text that does not begin like that is left as it is. */
export function openUnwrapper(): Unwrapper {
  /** Before the value is known to begin: what came so far. */
  let opening: string | undefined = ''
  let isOurs = false
  let [depth, inString, isEscaped, isOver] = [0, false, false, false]

  /** Up to the brace that closes the object around the value. */
  function inner(text: string): string {
    if (isOver) return ''
    for (let at = 0; at < text.length; at++) {
      const char = text[at]
      if (isEscaped) isEscaped = false
      else if (inString) {
        if (char === '\\') isEscaped = true
        else if (char === '"') inString = false
      } else if (char === '"') inString = true
      else if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') {
        if (depth === 0) {
          isOver = true
          return text.slice(0, at).trimEnd()
        }
        depth--
      }
    }
    return text
  }

  return {
    push(text) {
      if (opening === undefined) return isOurs ? inner(text) : text
      opening += text
      const found = OPENING.exec(opening)
      // A number may go on in the next piece, but the space in front of a value may, too.
      const isBegun = found !== null && found[0].length < opening.length
      if (!isBegun && opening.length < LONGEST_OPENING && couldBegin(opening)) return ''
      const all = opening
      opening = undefined
      isOurs = found !== null
      return found ? inner(all.slice(found[0].length)) : all
    },
    end() {
      const rest = opening ?? ''
      opening = undefined
      return rest
    },
  }
}

/** The text so far is the beginning of an object with our property. */
function couldBegin(text: string): boolean {
  const plain = text.replace(/\s+/g, '')
  const whole = `{"${PROPERTY}":`
  return whole.startsWith(plain.slice(0, whole.length))
}

export function unwrapped(text: string): string {
  const unwrapper = openUnwrapper()
  return unwrapper.push(text) + unwrapper.end()
}
