// Everything that is encrypted is encrypted anew, also if the rotation is killed after any value and repeated.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { thrownBy } from '../../../contract/storage/harness.ts'
import { createAccountCipher } from '../../access/secrets/account-cipher.ts'
import { open, seal } from '../../conversations/sealed.ts'
import { createDiskBlobs } from '../../media/disk.ts'
import { createMediaStore } from '../../media/media-store.ts'
import { CREDIT } from '../../money/ledger.ts'
import { openResponse, sealResponse } from '../../paid-call/stored-response.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../storage/storage.ts'
import { contextOfSecret, GATEWAY } from '../configuration/secrets.ts'
import { auditEntry, COMMAND_LINE } from '../operation.ts'
import { reseal } from './reseal.ts'

const OWNER = { account: 7n, id: 'resp_1' }
const KEEP_MS = 3_600_000
const [older, next] = [createAccountCipher('the old one'), createAccountCipher('the new one')]
const any = createAccountCipher({ current: 'the new one', accepted: ['the new one', 'the old one'] })
const PLAIN = Buffer.from('what a client has sent')
const CLAIM = {
  id: 1n,
  nodeId: 0,
  epoch: 1,
  account: 7n,
  key: new Uint8Array(32),
  fingerprint: new Uint8Array(32).fill(1),
}

let folder = ''
let storage: Storage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-reseal-'))
  storage = await openSqlite(folder)
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

test('killed after each value, a rotation is complete when it was repeated to its end', async () => {
  const by = { accountCipher: older }
  const blobs = createDiskBlobs(join(folder, 'media'))
  const media = createMediaStore(storage.media, blobs)
  const image = await media.put(seal(OWNER, 'image', PLAIN, by), { owner: 7n, contentType: 'x/y', keepMs: KEEP_MS })
  const parts = { turn: seal(OWNER, 'turn', PLAIN, by), record: seal(OWNER, 'record', PLAIN, by) }
  await storage.responses.put({
    ...OWNER,
    ...parts,
    key: 1n,
    parent: undefined,
    keepMs: KEEP_MS,
    items: [],
    media: [image.id],
  })
  const damaged = { ...OWNER, id: 'resp_2', key: 1n, parent: undefined, keepMs: KEEP_MS, items: [], media: [] }
  await storage.responses.put({ ...damaged, turn: new Uint8Array(50), record: new Uint8Array(50) })
  await storage.contents.claim(CLAIM)
  const answer = sealResponse(CLAIM, { headers: '{}', body: PLAIN }, older)
  await storage.contents.keep(CLAIM, { cost: 1n, keepMs: KEEP_MS, answer })
  const key = new Uint8Array(32).fill(2)
  await storage.reasoning.put([{ account: 7n, key, value: older.encrypt(7n, 'reasoning', PLAIN, key) }], KEEP_MS)
  await storage.accounts.create('ada@example.com', 0n, CREDIT)
  const person = (await storage.people.find('ada@example.com'))?.id ?? 0n
  const secret = older.encrypt(person, 'second factors', PLAIN, new Uint8Array())
  await storage.signIns.setSecondFactor(person, { secret, recoveryCodes: [] })
  const stored = { id: 'sec_1', owner: 'upstream/main', fingerprint: 'hmac:1', lastFour: '' }
  const sealed = older.encrypt(GATEWAY, 'configuration', PLAIN, contextOfSecret(stored.id))
  const author = auditEntry({ actor: COMMAND_LINE }, 'upstream create', { object: 'upstream/main' })
  await storage.audited(author).configuration.write(0, [], [{ ...stored, sealed }])

  const rotate = (most: number) => {
    let calls = 0
    const report = () => {
      calls += 1
      if (calls > most) throw new Error('killed')
    }
    return reseal({ storage, blobs, ciphers: { next, any }, report })
  }
  for (let most = 0; most < 9; most++) expect(String(await thrownBy(rotate(most)))).toContain('killed')
  expect(await rotate(100)).toEqual({ changed: 0, present: 7, unreadable: 2 })

  const cipher = { accountCipher: next }
  const response = await storage.responses.find(7n, OWNER.id)
  for (const part of ['turn', 'record'] as const)
    expect(open(OWNER, part, response?.[part] ?? new Uint8Array(), cipher)).toEqual(PLAIN)
  const bytes = await Array.fromAsync(media.read(image))
  expect(open(OWNER, 'image', Buffer.concat(bytes), cipher)).toEqual(PLAIN)
  const found = await storage.contents.find(CLAIM)
  const kept = found.outcome === 'finished' && found.answer
  expect(kept && openResponse(CLAIM, kept, next)).toMatchObject({ headers: '{}' })
  const [reasoning] = [...(await storage.reasoning.find(7n, [key])).values()]
  expect(next.decrypt(7n, 'reasoning', reasoning ?? new Uint8Array(), key)).toEqual(PLAIN)
  const [factor] = await storage.signIns.secondFactors(0n, 1)
  expect(next.decrypt(person, 'second factors', factor?.secret ?? new Uint8Array(), new Uint8Array())).toEqual(PLAIN)
  const [own] = await storage.configuration.secrets('', 1)
  const opened = next.decrypt(GATEWAY, 'configuration', own?.sealed ?? new Uint8Array(), contextOfSecret('sec_1'))
  expect(opened).toEqual(PLAIN)
})
