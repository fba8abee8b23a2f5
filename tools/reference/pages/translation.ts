// docs/reference/translation.md: what becomes of each request field in each other protocol, found out by translating a sample of it.

import { untranslatedFields } from '@trivium/protocol/canonical/encoding/untranslated-fields.ts'
import { type Json, RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Generated } from '../generated.ts'
import { code, table } from '../markdown.ts'
import { REQUESTS, type Sample } from './translation-samples.ts'

export const NAMES: Readonly<Record<TextDialectId, string>> = {
  chat: 'OpenAI Chat Completions',
  responses: 'OpenAI Responses',
  messages: 'Anthropic Messages',
  'generate-content': 'Gemini generateContent',
}
const ALL = Object.keys(NAMES) as TextDialectId[]

type Encoded = { body: string; warnings: string[] } | '400'

function encoded(from: TextDialectId, to: TextDialectId, body: object): Encoded {
  const warnings: string[] = []
  try {
    TEXT_DIALECTS[from].rejectStored?.(body)
    const request = TEXT_DIALECTS[from].decodeRequest(body, { model: 'my-text', stream: false })
    const sent = TEXT_DIALECTS[to].encodeRequest(request, {
      model: 'my-text',
      maxOutput: 8_192,
      searches: true,
      warn: (_, reason) => void warnings.push(reason),
      unseal: () => undefined,
      fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
    })
    const unknown = untranslatedFields(body as Json, TEXT_DIALECTS[from].translated)
    const dropped = [...request.untranslated, ...unknown].map(() => 'dropped')
    return { body: JSON.stringify(sent.body), warnings: [...warnings, ...dropped] }
  } catch (error) {
    if (error instanceof RequestError) return '400'
    throw error
  }
}

/** The gateway's own business, whatever the upstream speaks. */
const DONE_HERE: ReadonlySet<string> = new Set(['include'])

function outcome(from: TextDialectId, to: TextDialectId, { field, base, body }: Sample): string {
  const [without, sent] = [encoded(from, to, base), encoded(from, to, body)]
  if (sent === '400') return '400'
  const reasons = [...new Set(sent.warnings)]
  if (reasons.length > 0) return reasons.join(', ')
  if (without === '400' || without.body !== sent.body) return 'yes'
  if (DONE_HERE.has(field)) return 'gateway'
  throw new Error(`${field} of ${from} is dropped silently on its way to ${to}`)
}

function matrix(from: TextDialectId): string {
  const others = ALL.filter((id) => id !== from)
  const rows = REQUESTS[from].map((sample) => [code(sample.field), ...others.map((to) => outcome(from, to, sample))])
  return table(['Field', ...others.map((id) => `to ${NAMES[id]}`)], rows)
}

export const TRANSLATION_PAGE: readonly Generated[] = ALL.map((from) => ({
  file: 'docs/reference/translation.md',
  section: `fields of ${from}`,
  text: () => matrix(from),
}))
