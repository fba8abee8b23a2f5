// What of a request counts as input: its texts, for the tokenizer, and everything else in tokens.
import type { CanonicalRequest, MediaPart, Part, Tool } from '@trivium/protocol/canonical/request.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { MOST_INSPECTED, mediaTokens } from './media-tokens.ts'

/** `overhead`: what vendors add around texts. `media`: images, documents and recordings. */
export type Measured = { texts: readonly string[]; overhead: number; media: number }

/**
 * Tokens that vendors add: to every request, to every message and to every tool, and once where there are tools. Published, or
 * known from counts of small requests.
 */
const OVERHEAD: Readonly<Record<TextDialectId, { request: number; message: number; tool: number; tools: number }>> = {
  chat: { request: 3, message: 4, tool: 8, tools: 12 },
  responses: { request: 3, message: 4, tool: 8, tools: 12 },
  messages: { request: 4, message: 4, tool: 16, tools: 340 },
  'generate-content': { request: 0, message: 1, tool: 8, tools: 0 },
}
/** A tool of the vendor's own, whose definition is not in the request. */
const HOSTED_TOOL = 300
/** Around a call and its result: ids and roles. */
const CALL = 8
/** Encrypted reasoning: base64 of text. */
const SEALED_CHARACTERS_PER_TOKEN = 6

export async function measure(request: CanonicalRequest, dialect: TextDialectId): Promise<Measured> {
  const fixed = OVERHEAD[dialect]
  const texts: string[] = request.instructions.map(({ text }) => text)
  const media: MediaPart[] = []
  const messages = request.turns.length + (request.instructions.length > 0 ? 1 : 0)
  let overhead = fixed.request + fixed.message * messages
  for (const { parts, name } of request.turns) {
    if (name !== undefined) texts.push(name)
    for (const part of parts) overhead += add(part, texts, media)
  }
  for (const tool of request.tools) texts.push(definitionOf(tool))
  if (request.tools.length + request.hostedTools.length > 0) overhead += fixed.tools
  overhead += fixed.tool * request.tools.length + HOSTED_TOOL * request.hostedTools.length
  if (request.format.type === 'schema') texts.push(JSON.stringify(request.format.schema))
  let mediaTotal = 0
  for (const [index, part] of media.entries()) mediaTotal += await mediaTokens(part, dialect, index < MOST_INSPECTED)
  return { texts, overhead, media: mediaTotal }
}

/** Returns the overhead of the part. */
function add(part: Part, texts: string[], media: MediaPart[]): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
      texts.push(part.text)
      return 0
    case 'media':
      addMedia(part, texts, media)
      return 0
    case 'call':
      texts.push(part.name, part.arguments)
      return CALL
    case 'result':
      for (const each of part.parts) add(each, texts, media)
      return CALL
    case 'reasoning':
      // Where only its vendor can read it, the text is in the signature.
      if (part.text === '') return sealedTokens(part.signature ?? '')
      texts.push(part.text)
      return 0
    case 'redacted':
      return sealedTokens(part.data)
    case 'foreign':
      return 0
  }
}

const sealedTokens = ({ length }: string): number => Math.ceil(length / SEALED_CHARACTERS_PER_TOKEN)

/** Documents of text are text, also when they are encoded. */
function addMedia(part: MediaPart, texts: string[], media: MediaPart[]): void {
  const { source, name, context } = part
  for (const said of [name, context]) if (said !== undefined) texts.push(said)
  if (source.kind === 'text') texts.push(source.text)
  else if (source.kind === 'inline' && TEXT_TYPE.test(source.mime))
    texts.push(Buffer.from(source.data, 'base64').toString())
  else media.push(part)
}

const TEXT_TYPE = /^text\/|[/+.-](?:json|xml|yaml|csv|javascript|typescript|sql|sh|toml)\b/i

/** As it is put into the prompt: name, description and schema as JSON. */
function definitionOf({ name, description, schema, custom }: Tool): string {
  return JSON.stringify({ name, description, parameters: schema, format: custom?.grammar })
}
