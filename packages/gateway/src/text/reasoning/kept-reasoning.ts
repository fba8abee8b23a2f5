// Reasoning that a client cannot send back is kept here with the tool call that it belongs to, for the account and the upstream
// that made it, and found again when the conversation goes on.

import { withTimeout } from '@trivium/http/ticker.ts'
import {
  type CalledTool,
  type CallReasoning,
  callKey,
  type ReasonedCall,
} from '@trivium/protocol/canonical/call-reasoning.ts'
import { codec } from '../../bytes/codec.ts'
import type { ReasoningEntry } from '../../storage/reasoning.ts'
import type { TextCallDependencies } from '../dependencies.ts'

/** Longer reasoning of one call is not kept. An account's whole share is limited by the store. */
const MOST_ENTRY_BYTES = 256 * 1024
/** The client waits for its last byte, or for its response to begin, meanwhile. */
const WITHIN_MS = 2_000

/** Never rejects: a response does not fail because its reasoning is not kept. */
export async function keepReasoning(
  account: bigint,
  upstream: string,
  calls: readonly ReasonedCall[],
  keepMs: number,
  deps: TextCallDependencies,
): Promise<void> {
  const entries = new Map<string, ReasoningEntry>()
  for (const { call, reasoning } of calls) {
    const value = codec.encode(JSON.stringify(reasoning))
    const [key = NO_KEY] = storeKeys(account, upstream, callKey(call), deps)
    if (value.length > MOST_ENTRY_BYTES)
      deps.outageLog.warn('reasoning not kept', { reason: 'too long', bytes: value.length })
    else entries.set(hex(key), { account, key, value: deps.accountCipher.encrypt(account, 'reasoning', value, key) })
  }
  if (entries.size === 0) return
  try {
    const putting = deps.store.reasoning.put([...entries.values()], keepMs).then(() => true)
    if (await withTimeout(deps.ticker, WITHIN_MS, putting)) return
    deps.outageLog.warn('reasoning not kept', { reason: 'the database is slow' })
  } catch (error) {
    deps.outageLog.warn('reasoning not kept', { error: String(error) })
  }
}

/** What was kept, by upstream and then by call (`callKey`). */
export type FoundReasoning = ReadonlyMap<string, ReadonlyMap<string, CallReasoning>>

/** Reasoning of this length is read without being weighed. */
const UNWEIGHED_BYTES = 512 * 1024

/**
 * In one round trip to the store unless it is long. Reasoning that is not found is missing, and that is not an error. `weigh` is called
 * before long reasoning is read, and throws if there is no memory for it.
 */
export async function findReasoning(
  account: bigint,
  upstreams: readonly string[],
  calls: readonly CalledTool[],
  weigh: (bytes: number) => void,
  deps: TextCallDependencies,
): Promise<FoundReasoning> {
  const named = new Set(calls.map(callKey))
  const wanted = upstreams.flatMap((upstream) =>
    [...named].flatMap((call) => storeKeys(account, upstream, call, deps).map((key) => ({ upstream, call, key }))),
  )
  const keys = wanted.map(({ key }) => key)
  let values = await valuesOf(account, keys, UNWEIGHED_BYTES, deps)
  if (typeof values === 'number') {
    weigh(values)
    values = await valuesOf(account, keys, values, deps)
  }
  // What was added meanwhile is not read either.
  if (typeof values === 'number') return new Map()
  const found = new Map<string, Map<string, CallReasoning>>()
  for (const { upstream, call, key } of values.size === 0 ? [] : wanted) {
    const sealed = values.get(hex(key))
    const plain = sealed && deps.accountCipher.decrypt(account, 'reasoning', sealed, key)
    if (!plain) continue
    const ofUpstream = found.get(upstream) ?? new Map<string, CallReasoning>()
    ofUpstream.set(call, JSON.parse(codec.decode(plain, 0, plain.length)))
    found.set(upstream, ofUpstream)
  }
  return found
}

async function valuesOf(
  account: bigint,
  keys: readonly Uint8Array[],
  mostBytes: number,
  { store, ticker, outageLog }: TextCallDependencies,
): Promise<ReadonlyMap<string, Uint8Array> | number> {
  try {
    const values = await withTimeout(ticker, WITHIN_MS, store.reasoning.findWithin(account, keys, mostBytes))
    if (values !== undefined) return values
    outageLog.warn('kept reasoning not read', { reason: 'the database is slow' })
  } catch (error) {
    outageLog.warn('kept reasoning not read', { error: String(error) })
  }
  return new Map()
}

const NO_KEY = new Uint8Array(32)

/**
 * `call`: see `callKey`. 32 bytes each that say nothing about the call without the master secret; the first is by the one that is in force.
 */
const storeKeys = (account: bigint, upstream: string, call: string, deps: TextCallDependencies): Uint8Array[] =>
  deps.accountCipher
    .pseudonyms(account, 'reasoning', JSON.stringify([upstream, call]))
    .map((name) => Buffer.from(name, 'base64url'))

const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex')
