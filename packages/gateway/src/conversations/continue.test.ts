// Continuing and storing over a real store and a real folder of media.

import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTicker } from '@trivium/http/ticker.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { TestClient } from '../../../http/test-support/serve.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { codec } from '../bytes/codec.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { createDiskBlobs } from '../media/disk.ts'
import { createMediaStore } from '../media/media-store.ts'
import { Failure } from '../request/failure.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Caller, Responses, Storage } from '../storage/storage.ts'
import { continueConversation } from './continue.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { openRecord } from './open-stored.ts'

const catalogue = {
  config: { retention: { responses: 60_000 }, server: { limits: { bodyBytes: 10_000_000, memoryBytes: 20_000_000 } } },
} as Catalogue
const caller = { account: 7n, key: 1n } as Caller

let folder: string
let storage: Storage
let calls: string[]
let deps: ConversationDependencies
const ticker = createTicker(250, { failed: () => {} })
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-conversations-'))
  storage = await openSqlite(folder)
  calls = []
  const counted = Object.fromEntries(
    Object.entries(storage.responses).map(([name, method]: [string, (...args: never[]) => unknown]) => [
      name,
      (...args: never[]) => {
        calls.push(name)
        return method(...args)
      },
    ]),
  ) as unknown as Responses
  const log = { info: () => {}, warn: fail, error: fail }
  deps = {
    outageLog: log,
    store: { responses: counted },
    ticker,
    log,
    accountCipher: createAccountCipher('a secret of a test'),
    mediaStore: createMediaStore(storage.media, createDiskBlobs(join(folder, 'media'))),
  }
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

function fail(message: string): never {
  throw new Error(message)
}

let serial = 0n

/** One turn: what an upstream is sent of the input, and the id of the response. */
async function turn(
  body: object,
  output: readonly object[],
  weigh = (_: number) => true,
): Promise<{ id: string; sent: unknown }> {
  serial += 1n
  const bytes = codec.encode(JSON.stringify({ model: 'm', ...body }))
  const { readRequest } = TEXT_DIALECTS.responses.passThrough
  const { state } = readRequest(bytes, codec, undefined)
  if (!state) return fail('the request has no state')
  const slot = { weigh, turn: () => undefined, run: <T>(work: () => T) => work() }
  const weighing = { slot, bytes: bytes.length, client: new TestClient() }
  const conversation = await continueConversation(serial, state, caller, catalogue, weighing, deps)
  const id = JSON.parse(conversation?.echo.find(({ name }) => name === 'id')?.json ?? '""') as string
  const response = { id, object: 'response', status: 'completed', store: true, output }
  const last = await conversation?.keep?.(codec.encode(JSON.stringify(response)))
  expect(JSON.parse(Buffer.from(last ?? []).toString())).toEqual(response)
  const { input } = JSON.parse(Buffer.from(conversation?.body ?? bytes).toString()) as { input: unknown }
  return { id, sent: input }
}

const message = (text: string, id = 'msg_1') => ({
  type: 'message',
  id,
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const image = (base64: string, id = 'ig_1') => ({
  type: 'image_generation_call',
  id,
  status: 'completed',
  result: base64,
})
const base64Of = (bytes: number): string => Buffer.alloc(bytes, 'image of a lighthouse ').toString('base64')
const stored = () =>
  readdirSync(join(folder, 'media'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())

test('a turn costs two calls of the store to continue, and one to be stored, however long the chain is', async () => {
  let previous: string | undefined
  for (let count = 0; count < 20; count++) {
    calls = []
    const chained = previous === undefined ? {} : { previous_response_id: previous }
    const { id, sent } = await turn({ input: `turn ${count}`, ...chained }, [message(`answer ${count}`)])
    expect(calls).toEqual(previous === undefined ? ['put'] : ['chainLengths', 'chain', 'put'])
    expect(previous === undefined ? 1 : (sent as unknown[]).length).toBe(2 * count + 1)
    previous = id
  }
})

test('images come back exactly, from files that only the secret of the account opens, and go with the last response', async () => {
  const [one, two] = [base64Of(100_000), base64Of(70_001)]
  // No canonical base64, and a short one: both stay in the database.
  const [odd, short] = [`${base64Of(9_000)}\n`, 'aGVsbG8=']
  const output = [message('Ä "before"'), image(one), image(odd, 'ig_2'), image(two, 'ig_3'), image(short, 'ig_4')]
  const first = await turn({ input: [{ role: 'user', content: 'draw "ö"' }] }, output)
  expect(stored()).toHaveLength(2)
  for (const { parentPath, name } of stored())
    expect(readFileSync(join(parentPath, name)).includes('lighthouse')).toBe(false)

  const second = await turn({ input: 'again', previous_response_id: first.id }, [image(two, 'ig_5')])
  const { id: _, status: __, ...said } = message('Ä "before"')
  expect(second.sent).toEqual([
    { role: 'user', content: 'draw "ö"' },
    said,
    ...output.slice(1),
    { type: 'message', role: 'user', content: 'again' },
  ])
  const record = await storage.responses.find(7n, first.id)
  const shown = record && (await openRecord(record, deps))
  expect(JSON.parse(Buffer.from(shown ?? []).toString())).toMatchObject({ id: first.id, output })

  // Images that a client sends, or names, belong to the response of that request.
  const given = { input: [image(one, 'ig_1'), { type: 'item_reference', id: 'ig_3' }] }
  const other = await turn(given, [])
  expect(other.sent).toEqual([image(one, 'ig_1'), image(two, 'ig_3')])
  const named = { type: 'image_generation_call', id: 'ig_4' }
  for (const how of [named, { ...named, result: null }, { ...named, result: '', status: 'completed' }])
    expect((await turn({ input: [how] }, [])).sent).toEqual([image(short, 'ig_4')])
  const failed = { ...named, result: null, status: 'failed' }
  expect((await turn({ input: [failed] }, [])).sent).toEqual([failed])
  expect(stored()).toHaveLength(5)

  const remove = async (id: string) => {
    await storage.responses.hide(7n, id)
    await storage.responses.sweep(10)
    const media = createMediaStore(storage.media, createDiskBlobs(join(folder, 'media')))
    await media.sweep(10)
    return stored().length
  }
  // The first is continued: it stays until nothing does.
  expect([await remove(first.id), await remove(other.id), await remove(second.id)]).toEqual([5, 3, 0])
})

test('what a request names is weighed, as often as it is named, before an image of it is read', async () => {
  const large = base64Of(300_000)
  await turn({ input: 'draw' }, [message('a short one'), image(large)])
  const input = (times: number, id = 'ig_1') => Array.from({ length: times }, () => ({ type: 'item_reference', id }))
  const read = spyOn(deps.mediaStore, 'read')
  const thrown = (body: object, weigh?: (bytes: number) => boolean) =>
    turn(body, [], weigh).then(
      () => undefined,
      (error) => (error instanceof Failure ? error.info : error),
    )
  expect(await thrown({ input: input(30) })).toMatchObject({ code: 'request_too_large', param: 'input' })
  expect(await thrown({ input: input(4_097, 'msg_1') })).toMatchObject({ code: 'bad_request', param: 'input' })
  const weighed: number[] = []
  const weigh = (limit: number) => (bytes: number) => {
    weighed.push(bytes)
    return bytes <= limit
  }
  expect(await thrown({ input: input(10) }, weigh(10_000_000))).toMatchObject({ code: 'service_unavailable' })
  expect(weighed.at(-1)).toBeGreaterThan(3 * 10 * large.length)
  expect(await thrown({ input: input(20) }, weigh(20_000_000))).toMatchObject({ code: 'request_too_large' })
  expect(read).not.toHaveBeenCalled()
  expect((await turn({ input: input(10) }, [], weigh(20_000_000))).sent).toEqual(Array(10).fill(image(large)))
})
