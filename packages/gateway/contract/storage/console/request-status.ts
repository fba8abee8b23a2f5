// Requests of lists by the status that their client got.
import { expect, test } from 'bun:test'
import { hold, type Use, voided } from '../harness.ts'
import { spender } from './spender.ts'

export function requestStatusContract(use: Use): void {
  test('requests by the status that their client got: that of the error, or 200 once the response had begun', async () => {
    const { begin, newId, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const living = await alive(storage, node)
    const failure = (code: string, more = '') =>
      `{"error":{"code":"${code}","message":"\\"first_token_ms\\":1"}${more}}`
    const ended = async (receipt: string, outcome = 'failed') => {
      const id = newId()
      await storage.ledger.apply(hold(id, wallet, living))
      await storage.ledger.apply(voided(id, living, { receipt, outcome }))
      return id
    }
    const whole = await ended('{}', 'completed')
    const rejected = await ended(failure('upstream_error'))
    const begun = await ended(failure('upstream_error', ',"first_token_ms":5'), 'cut')
    const slow = await ended(failure('upstream_timeout'), 'timeout')
    await ended(failure('upstream_error'), 'client_disconnected')
    await ended(failure('TaskExpired'), 'expired')
    await storage.ledger.apply(hold(newId(), wallet, living))
    const list = async (status: number, account?: bigint) =>
      (await storage.lists.requests({ status, ...(account === undefined ? {} : { account }) }, {}, 10)).rows
    for (const account of [undefined, wallet.account]) {
      expect((await list(200, account)).map(({ row }) => row.request)).toEqual([begun, whole])
      expect((await list(502, account)).map(({ row }) => row.request)).toEqual([rejected])
      expect((await list(504, account)).map(({ row }) => row.request)).toEqual([slow])
      expect(await list(418, account)).toEqual([])
    }
  })

  test('requests by the ids that their caller and the vendor gave them', async () => {
    const { begin, newId, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const living = await alive(storage, node)
    const ended = async (receipt: string) => {
      const id = newId()
      await storage.ledger.apply(hold(id, wallet, living))
      await storage.ledger.apply(voided(id, living, { receipt }))
      return id
    }
    const odd = 'it"s \\ {odd}'.replaceAll(' ', '')
    const receipt = (ids: object) => JSON.stringify({ ids, group: 'default', error: { upstream_request_id: 'other' } })
    const both = await ended(receipt({ client: 'mine', upstream: 'theirs' }))
    const client = await ended(receipt({ client: odd }))
    const upstream = await ended(receipt({ upstream: odd }))
    const again = await ended(receipt({ client: 'mine', upstream: 'theirs-2' }))
    for (const receipt of ['', '{}', '{"ids":{', 'no JSON']) await ended(receipt)
    const list = async (filter: object) =>
      (await storage.lists.requests(filter, {}, 10)).rows.map(({ row }) => row.request)
    expect(await list({ clientId: 'mine' })).toEqual([again, both])
    expect(await list({ clientId: odd })).toEqual([client])
    expect(await list({ clientId: 'theirs' })).toEqual([])
    expect(await list({ upstreamId: 'theirs' })).toEqual([both])
    expect(await list({ upstreamId: odd })).toEqual([upstream])
    expect(await list({ upstreamId: 'other' })).toEqual([])
    expect(await list({ clientId: 'mine', upstreamId: 'theirs-2', account: wallet.account })).toEqual([again])
  })
}
