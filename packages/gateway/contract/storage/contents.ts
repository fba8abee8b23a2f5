import { expect, test } from 'bun:test'
import { type Claim, type KeptAnswer, LONGEST_CLAIM_MS } from '../../src/storage/contents.ts'
import { newHash, thrownBy, type Use } from './harness.ts'

const MINUTE = 60_000
let ids = 1_000n

const newClaim = (fields: Partial<Claim> = {}): Claim => {
  ids += 1n
  return { account: 1n, key: newHash(), fingerprint: newHash(), id: ids, nodeId: 3, epoch: 4, ...fields }
}
/** Another request with the same key and the same body. */
const again = (claim: Claim, fields: Partial<Claim> = {}): Claim => {
  ids += 1n
  return { ...claim, id: ids, nodeId: 5, epoch: 6, ...fields }
}

const ANSWER: KeptAnswer = {
  headers: '{"content-type":"application/json"}',
  body: Buffer.from('{"text":"\u00e9\\u0000"}'),
}
const ended = (answer?: KeptAnswer) => ({ cost: 77n, keepMs: MINUTE, answer })

export function contentsContract(use: Use): void {
  test('the first claim is new; until it ends, the others get its id, its node and its age', async () => {
    const { contents } = use().storage
    const first = newClaim()
    expect(await contents.claim(first)).toEqual({ outcome: 'new' })
    await use().elapse(5_000)
    const second = await contents.claim(again(first))
    expect(second).toMatchObject({ outcome: 'running', first: { id: first.id, nodeId: 3, epoch: 4 } })
    const age = second.outcome === 'running' ? second.ageMs : 0
    expect(age).toBeGreaterThanOrEqual(5_000)
    expect(age).toBeLessThan(5_000 + MINUTE)
  })

  test('a look finds what a claim would, and claims nothing', async () => {
    const { contents } = use().storage
    const first = newClaim()
    expect(await contents.find(first)).toEqual({ outcome: 'new' })
    expect(await contents.claim(first)).toEqual({ outcome: 'new' })
    expect(await contents.find(again(first))).toMatchObject({ outcome: 'running', first: { id: first.id } })
    expect(await contents.keep(first, ended(ANSWER))).toBe(true)
    expect(await contents.find(again(first))).toEqual(await contents.claim(again(first)))
    expect(await contents.find(again(first, { fingerprint: newHash() }))).toMatchObject({ outcome: 'mismatch' })
    expect(await contents.find(again(first, { account: 2n }))).toEqual({ outcome: 'new' })
    await use().elapse(MINUTE)
    expect(await contents.find(again(first))).toEqual({ outcome: 'new' })
  })

  test('a claim may be repeated by the one that made it', async () => {
    const { contents } = use().storage
    const first = newClaim()
    await contents.claim(first)
    expect(await contents.claim(first)).toEqual({ outcome: 'new' })
  })

  test('of many at once exactly one is new', async () => {
    const { contents } = use().storage
    const first = newClaim()
    const all = await Promise.all(Array.from({ length: 50 }, () => contents.claim(again(first))))
    expect(all.map(({ outcome }) => outcome).sort()).toEqual(['new', ...Array(49).fill('running')])
  })

  test('the same key is free for another account', async () => {
    const { contents } = use().storage
    const first = newClaim()
    await contents.claim(first)
    expect(await contents.claim(again(first, { account: 2n }))).toEqual({ outcome: 'new' })
  })

  test('another body is a mismatch while the first runs and when it has ended, and changes nothing', async () => {
    const { contents } = use().storage
    const first = newClaim()
    const other = again(first, { fingerprint: newHash() })
    await contents.claim(first)
    expect(await contents.claim(other)).toEqual({ outcome: 'mismatch', first: first.id })
    expect(await contents.claim(other, first.id)).toEqual({ outcome: 'mismatch', first: first.id })
    await contents.keep(first, ended(ANSWER))
    expect(await contents.claim(other)).toEqual({ outcome: 'mismatch', first: first.id })
    expect(await contents.claim(again(first))).toMatchObject({ outcome: 'finished', first: first.id })
  })

  test.each<[string, KeptAnswer | undefined]>([
    ['with its answer', ANSWER],
    ['with none', undefined],
    ['with an answer of a megabyte of all bytes', { headers: '{}', body: allBytes(1024 * 1024) }],
    ['with an empty answer', { headers: '{}', body: new Uint8Array(0) }],
  ])('a request that has ended %s is returned unchanged, with its cost', async (_, answer) => {
    const { contents } = use().storage
    const first = newClaim()
    await contents.claim(first)
    expect(await contents.keep(first, ended(answer))).toBe(true)
    const { storage } = { storage: await use().reopen() }
    const claimed = await storage.contents.claim(again(first))
    expect(claimed).toMatchObject({ outcome: 'finished', first: first.id, cost: 77n })
    const kept = claimed.outcome === 'finished' ? claimed.answer : undefined
    expect(kept?.headers).toBe(answer?.headers as string)
    expect(kept && Buffer.compare(kept.body, answer?.body ?? new Uint8Array())).toBe(answer && 0)
  })

  test('what was forgotten may be claimed anew, also with another body; what has ended is not forgotten', async () => {
    const { contents } = use().storage
    const first = newClaim()
    await contents.claim(first)
    await contents.forget(again(first))
    expect(await contents.claim(again(first))).toMatchObject({ outcome: 'running', first: { id: first.id } })
    await contents.forget(first)
    const second = again(first, { fingerprint: newHash() })
    expect(await contents.claim(second)).toEqual({ outcome: 'new' })
    await contents.keep(second, ended())
    await contents.forget(second)
    expect(await contents.claim(again(second))).toMatchObject({ outcome: 'finished', first: second.id })
  })

  test('a dead claim is replaced by one of those that know it is dead, and can then neither keep nor forget', async () => {
    const { contents } = use().storage
    const dead = newClaim()
    await contents.claim(dead)
    const heirs = Array.from({ length: 10 }, () => again(dead))
    const taken = await Promise.all(heirs.map((heir) => contents.claim(heir, dead.id)))
    expect(taken.filter(({ outcome }) => outcome === 'new')).toHaveLength(1)
    const heir = heirs[taken.findIndex(({ outcome }) => outcome === 'new')]
    expect(await contents.keep(dead, ended(ANSWER))).toBe(false)
    await contents.forget(dead)
    expect(await contents.claim(again(dead))).toMatchObject({
      outcome: 'running',
      first: { id: heir?.id, nodeId: 5, epoch: 6 },
    })
  })

  test('one that has ended meanwhile is not replaced', async () => {
    const { contents } = use().storage
    const first = newClaim()
    await contents.claim(first)
    await contents.keep(first, ended(ANSWER))
    expect(await contents.claim(again(first), first.id)).toMatchObject({ outcome: 'finished', first: first.id })
  })

  test('when its retention ends the key is free again, swept or not, and the former answer is gone', async () => {
    const { storage, elapse } = use()
    const { contents } = storage
    const first = newClaim()
    await contents.claim(first)
    await contents.keep(first, ended(ANSWER))
    await elapse(MINUTE - 20_000)
    expect(await contents.claim(again(first))).toMatchObject({ outcome: 'finished' })
    await elapse(20_000)
    const second = again(first, { fingerprint: newHash() })
    expect(await contents.claim(second)).toEqual({ outcome: 'new' })
    await contents.keep(second, ended())
    expect(await contents.claim(again(second))).toMatchObject({ outcome: 'finished', answer: undefined })
  })

  test('one that runs is not replaced however long it takes', async () => {
    const { storage, elapse } = use()
    const first = newClaim()
    await storage.contents.claim(first)
    await elapse(LONGEST_CLAIM_MS + MINUTE)
    expect(await storage.contents.claim(again(first))).toMatchObject({ outcome: 'running', first: { id: first.id } })
  })

  test('a sweep removes what is over, a page at a time, and nothing else', async () => {
    const { storage, elapse } = use()
    const { contents } = storage
    const [lost, ...short] = Array.from({ length: 6 }, () => newClaim())
    if (!lost) throw new Error('none')
    for (const claim of [lost, ...short]) await contents.claim(claim)
    for (const claim of short) await contents.keep(claim, ended(ANSWER))
    expect(await contents.sweep(100)).toBe(0)
    await elapse(MINUTE)
    const late = newClaim()
    await contents.claim(late)
    expect([await contents.sweep(3), await contents.sweep(3), await contents.sweep(3)]).toEqual([3, 2, 0])
    expect(await contents.claim(again(lost))).toMatchObject({ outcome: 'running' })
    await elapse(LONGEST_CLAIM_MS - MINUTE)
    expect(await contents.sweep(3)).toBe(1)
    expect(await contents.claim(again(late))).toMatchObject({ outcome: 'running' })
    expect(await contents.claim(again(lost))).toEqual({ outcome: 'new' })
  })

  test.each([
    ['key', { key: new Uint8Array(31) }],
    ['fingerprint', { fingerprint: new Uint8Array(33) }],
  ])('a %s that is no hash is rejected', async (field, fields) => {
    const error = await thrownBy(use().storage.contents.claim(newClaim(fields)))
    expect(String(error)).toContain(`TypeError: ${field}`)
  })
}

function allBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 31) & 0xff
  return bytes
}
