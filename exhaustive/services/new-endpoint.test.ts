// Adds a paid endpoint to a copy of the sources, in the files that docs/contribute/adding.md lists and in no others, and calls it: by
// the API with a charge and a receipt, in the descriptions that derive from it, and in the types of the gateway.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../packages/gateway/src/openapi/document.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { checkTypes, copyWith } from '../support/how-to.ts'

const ROOT = join(import.meta.dir, '../..')

const NEW: Readonly<Record<string, string>> = {
  'packages/gateway/src/endpoints/keywords/index.ts': `// Keywords of texts.
import type { Endpoint } from '../endpoint.ts'
import { list, MODEL, open, STRING } from '../schema.ts'

export const keywords = {
  title: 'Keywords',
  tag: 'Keywords',
  offered: ['keywords'],
  services: { keywords: '/keywords' },
  figures: { usual: ['per_request'], all: ['per_request', 'input'] },
  models: {
    generates: 'keywords',
    where: 'Use POST /v1/keywords.',
    examples: { price: 'price: { per_request: 0.001 }', limits: 'limits: { inputs: 4 }' },
    limits: { inputs: 8 },
    sandbox: { id: 'sandbox-keywords', nanos: 1_000_000 },
  },
  words: {
    en: { name: 'Keywords', units: { per_request: 'per request' }, figures: { per_request: 'Per request' } },
    zh: { name: '关键词', units: { per_request: '/ 次请求' }, figures: { per_request: '每次请求' } },
  },
  routes: {
    keywords: {
      body: {
        schema: open({ model: MODEL, text: STRING }),
        example: { model: 'sandbox-keywords', text: 'tall towers' },
      },
      responses: { 200: { schema: open({ model: STRING, keywords: list(STRING) }) } },
    },
  },
} as const satisfies Endpoint
`,
  'packages/protocol/src/dialects/chat/keywords/keywords.ts': `// The body of POST /v1/keywords, and its response.
import { isObject, parsedJson, readName, readString, wrong } from '../../../canonical/reading.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { Codec } from '../../../framing/codec.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import type { ServiceFields } from '../../shared/pass-through/service-fields.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

export type KeywordsRequest = ServiceFields & { model: string; text: string; bytes: number; values: number }

const FIELDS = { model: 1, text: 1 }
const NAMES = knownNames(namesOf(FIELDS), {})

/** Throws RequestError. */
export function decodeKeywordsRequest(bytes: Uint8Array, codec: Codec, maxValues: number): KeywordsRequest {
  const { body, scan } = readBody(bytes, codec, NAMES, maxValues)
  const [model, text] = [readName(body, 'model'), readString(body, 'text')]
  if (!model) throw wrong('model', 'model is required')
  if (!text) throw wrong('text', 'text is required')
  return { ...unknownFields(body, FIELDS), model, text, bytes: utf8Length(text), values: scan.values }
}

/** undefined: it has no keywords. */
export function decodeKeywordsReply(bytes: Uint8Array, codec: Codec): readonly unknown[] | undefined {
  const body = parsedJson(codec.decode(bytes, 0, bytes.length))
  return isObject(body) && Array.isArray(body.keywords) ? body.keywords : undefined
}
`,
  'packages/gateway/src/endpoints/keywords/handlers.ts': `// What serves keywords of texts.
import { decodeKeywordsReply, decodeKeywordsRequest, type KeywordsRequest } from '@trivium/protocol/dialects/chat/keywords/keywords.ts'
import { authorize } from '../../access/authorize.ts'
import { codec } from '../../bytes/codec.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import type { Handlers } from '../../handler.ts'
import type { ModelOf, RateOf } from '../../modalities/index.ts'
import { bookableTokens } from '../../money/limits.ts'
import { serviceJourney } from '../../services/journey.ts'
import type { JsonService } from '../../services/json-service.ts'

const json = (value: object) => [codec.encode(JSON.stringify(value))]

const KEYWORDS: JsonService<{
  endpoint: undefined
  request: KeywordsRequest
  price: RateOf<'keyword'>
  model: ModelOf<'keyword'>
  dialect: 'chat'
  read: readonly unknown[]
}> = {
  dialectOf: () => 'chat',
  nameOf: () => 'keywords',
  decode: (body, _, maxValues, own) => decodeKeywordsRequest(body, own, maxValues),
  authorize: (caller, { model }, catalogue) => authorize(caller, model, 'keyword', catalogue),
  requestFor: ({ text }, { upstream, route }) => ({
    dialect: 'chat',
    path: serviceOf(upstream, 'keywords')?.path ?? '',
    warnings: [],
    body: () => json({ model: route.model, text }),
  }),
  boundOf({ bytes }, { rate }) {
    const amount = rate.bound({ requests: 1, input: bytes })
    if (amount === undefined) throw new Error('keywords have no bound')
    const tokens = bookableTokens(bytes)
    return { amount, minimum: amount, tokens, minimumTokens: tokens }
  },
  replyBytes: ({ bytes }) => 64 * 1024 + bytes,
  readReply(bytes, request) {
    const read = decodeKeywordsReply(bytes, codec)
    return read && { read, model: undefined, tokens: request.bytes }
  },
  encodeReply: (keywords, _, __, { attempt }) => json({ model: attempt.offer.model.id, keywords }),
  costOf: (rate, _, { bytes }) => rate.cost({ requests: 1, input: bytes }),
  isCounted: ({ price }) => price.figure === 'input',
}

const journey = serviceJourney(KEYWORDS)

export const handlers = {
  keywords: (incoming, deps) => journey(incoming, undefined, deps),
} satisfies Handlers
`,
  'packages/sandbox/src/services/keywords.ts': `// The model of keywords: the words of a text.
import { json } from '../delivery/json.ts'
import { parseBody } from '../request/json-body.ts'
import { checkModel } from './check-model.ts'
import { wordsIn } from './words.ts'

export const SANDBOX_KEYWORDS = 'sandbox-keywords'

export async function answerKeywords(request: Request): Promise<Response> {
  const { model, text } = parseBody(await request.bytes())
  checkModel(model, SANDBOX_KEYWORDS)
  return json({ model, keywords: [...wordsIn(String(text))] })
}
`,
}

/** What follows the text that each line is put before. */
const EDITS: Readonly<Record<string, readonly (readonly [before: RegExp, line: string])[]>> = {
  'packages/gateway/src/endpoints/index.ts': [
    [/^import \{ moderations/m, "import { keywords } from './keywords/index.ts'"],
    [/^\} as const satisfies/m, '  keyword: keywords,'],
  ],
  'packages/protocol/src/routes.ts': [
    [/^ {2}\| 'moderation'$/m, "  | 'keyword'"],
    [
      /^ {2}moderations: \{/m,
      "  keywords: { ...RERANK, path: '/v1/keywords', kind: 'keyword', modality: 'keyword', summary: 'Finds keywords' },",
    ],
  ],
  'packages/gateway/src/endpoints/handlers.ts': [
    [/^import \{ handlers as moderations/m, "import { handlers as keywords } from './keywords/handlers.ts'"],
    [/^ {2}\.\.\.moderations,$/m, '  ...keywords,'],
  ],
  'packages/sandbox/src/endpoints.ts': [
    [/^import \{ answerModerations/m, "import { answerKeywords, SANDBOX_KEYWORDS } from './services/keywords.ts'"],
    [
      /^ {2}moderations: \{/m,
      "  keywords: { needsKey: true, answer: answerKeywords, model: { id: SANDBOX_KEYWORDS, name: 'Keywords', methods: [] } },",
    ],
  ],
}

let copy: string
let gateway: Gateway

const withLines = (source: string, lines: (typeof EDITS)[string]): string =>
  lines.reduce((edited, [before, line]) => {
    expect(edited).toMatch(before)
    return edited.replace(before, `${line}\n$&`)
  }, source)

beforeAll(async () => {
  const added = Object.entries(NEW).map(([file, source]) => [file, () => source] as const)
  const edited = Object.entries(EDITS).map(
    ([file, lines]) => [file, (source: string) => withLines(source, lines)] as const,
  )
  copy = copyWith(Object.fromEntries([...added, ...edited]))
  gateway = await startGateway({ main: join(copy, 'packages/gateway/src/main.ts') })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway?.stop()
  rmSync(copy, { recursive: true, force: true })
})

test('the page lists the files, at most nine with a test', () => {
  const page = readFileSync(join(ROOT, 'docs/contribute/adding.md'), 'utf8')
  const section = page.split('\n## ').find((text) => text.startsWith('Add a paid endpoint')) ?? ''
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path.replaceAll('<x>', 'keywords'))
  const product = listed.filter((path) => !path.startsWith('test/'))
  expect(product.toSorted()).toEqual([...Object.keys(NEW), ...Object.keys(EDITS)].toSorted())
  expect(listed.length).toBeLessThanOrEqual(9)
})

test('it is called, charged and has a receipt', async () => {
  const { secret, settled } = await newKey(gateway)
  const call = (body: object) =>
    fetch(`${gateway.url}/v1/keywords`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const response = await call({ model: 'sandbox-keywords', text: 'tall towers' })
  expect([response.status, await response.json()]).toEqual([
    200,
    { model: 'sandbox-keywords', keywords: ['tall', 'towers'] },
  ])
  const wrong = await call({ model: 'sandbox-keywords' })
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { param: 'text' } }])
  expect(await settled()).toMatchObject([
    { outcome: 'completed', cost_usd: '0.001', receipt: { units: { requests: 1 } } },
  ])
})

test('it is described and listed', async () => {
  const { secret } = await newKey(gateway)
  const get = (path: string) => fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
  const description = (await (await get('/openapi.json')).json()) as OpenApiDocument
  expect(description.paths['/v1/keywords']?.post).toMatchObject({ tags: ['Keywords'], summary: 'Finds keywords' })
  expect(await (await get('/v1/models')).text()).toContain('"per_request":"0.001"')
  expect(await (await get('/v1/batches')).text()).toContain('moderations, keywords and token counting')
})

test('the gateway has its types', async () => {
  const whole = { lib: ['ESNext'], types: ['bun'] }
  const include = ['packages/gateway/src/routes.ts', 'packages/gateway/src/**/*.d.ts']
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ extends: './tsconfig.base.json', compilerOptions: whole, include }),
  )
  await checkTypes(copy, '.')
})
