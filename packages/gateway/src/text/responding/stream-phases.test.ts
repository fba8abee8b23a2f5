// The phases of a stream apart from each other: before output, relaying, ending. The meter, the budget and the upstream are fakes.
import { describe, expect, test } from 'bun:test'
import { RequestRecord } from '../../observe/request-record.ts'
import { STREAM_TIMING } from '../../paid-call/writing/stream-timing.ts'
import type { Failure } from '../../request/failure.ts'
import type { Observed } from '../billing/charge.ts'
import type { ChargeTokens } from '../charge-tokens.ts'
import type { TextCall } from '../text-call.ts'
import type { StreamMeter } from '../translation/outbound.ts'
import { readUntilOutput } from './before-output.ts'
import { endStream } from './end-stream.ts'
import { MeteredStream } from './metered-stream.ts'
import { relay } from './relay.ts'
import type { StreamBudget } from './stream-budget.ts'
import { StreamClient } from './stream-client.ts'

/** Reads lines: `.` is no output, `!` an error, `$` the finish, `#` the last event; anything else is output. */
function meterOf(): StreamMeter {
  const state: { -readonly [Field in keyof StreamMeter['state']]: StreamMeter['state'][Field] } = {
    outputBytes: 0,
    sawOutput: false,
    done: false,
    finish: undefined,
    usage: undefined,
    error: undefined,
  }
  return {
    state,
    push(chunk) {
      for (const line of Buffer.from(chunk).toString().split('\n').filter(Boolean)) {
        if (line === '!') state.error = { code: 'upstream_error', message: 'it failed', detail: 'reported' }
        else if (line === '$') state.finish = { raw: 'stop', unified: 'completed' }
        else if (line === '#') state.done = true
        else if (line !== '.') {
          state.sawOutput = true
          state.outputBytes += line.length
        }
      }
      return chunk
    },
    end: () => Buffer.from('tail'),
    stop: ({ input, output }) => Buffer.from(`stopped at ${input} and ${output}`),
    fail: ({ code }) => Buffer.from(`failed: ${code}`),
  }
}

const FREE: StreamBudget = {
  nextAt: Number.POSITIVE_INFINITY,
  coveredTo: Number.POSITIVE_INFINITY,
  mayContinue: () => true,
}

function start(pieces: (string | Error)[], budget: StreamBudget = FREE) {
  const upstreamCall = {
    reason: undefined as 'timeout' | 'client_disconnected' | 'shutdown' | undefined,
    onTick: undefined,
    within: [] as string[],
    cancelled: 0,
    received: () => {},
    abort(reason: 'client_disconnected') {
      upstreamCall.reason = reason
    },
    cancel: () => void upstreamCall.cancelled++,
    endWithin: (ms: number, reason: string) => void upstreamCall.within.push(`${reason} in ${ms}`),
  }
  const client = { isDisconnected: false, onDisconnect: undefined as (() => void) | undefined }
  const candidate = { upstream: { id: 'u', keys: ['k'] }, route: { model: 'm' } }
  const attempt = { candidate, offer: { model: { id: 'm' } }, answerer: {} }
  const record = new RequestRecord('POST', '/', '', 0)
  const call = {
    id: 1n,
    client,
    caller: { account: 1n },
    upstreamCall,
    attempt,
    record,
    own: {},
  } as unknown as TextCall
  const answerer = { openMeter: meterOf }
  const read = async () => {
    const piece = pieces.shift()
    if (piece instanceof Error) throw piece
    return piece === undefined ? undefined : Buffer.from(piece)
  }
  const stream = new MeteredStream(answerer, budget, { read, cancel: () => {} })
  const drains = new Set<bigint>()
  const dependencies = {
    freeAborts: { mustDrain: (account: bigint) => drains.has(account) },
    ticker: { now: () => 0 },
    streamTiming: STREAM_TIMING,
    clock: () => 0,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  }
  const streamClient = new StreamClient(call, dependencies)
  streamClient.watch(stream)
  const written: string[] = []
  const sink = { write: (bytes: Uint8Array) => void written.push(Buffer.from(bytes).toString()) }
  streamClient.open(sink as never, () => Buffer.from('~'))
  return { call, client, stream, streamClient, upstreamCall, drains, dependencies, written: () => written.join('') }
}

describe('before output', () => {
  test.each<[string, (string | Error)[], unknown]>([
    ['output', ['.\n', 'Hello\n'], ['.\n', 'Hello\n']],
    ['an end without output, which is whole', ['.\n', '$\n#\n'], ['.\n', '$\n#\n']],
    ['an error', ['.\n', '!\n'], { outcome: 'failed', unbilled: true }],
    ['an error in the same piece as output', ['Hello\n!\n'], { outcome: 'failed', unbilled: false }],
    ['a break', ['.\n', new Error('reset')], { outcome: 'cut', unbilled: false }],
    ['an end without a finish', ['.\n'], { outcome: 'cut', unbilled: false }],
  ])('%s', async (_, pieces, expected) => {
    const { call, stream, dependencies } = start(pieces)
    const read = await readUntilOutput(call, stream, dependencies as never)
    if ('failure' in read) expect(read).toMatchObject(expected as object)
    else expect(read.early.map(String)).toEqual(expected as string[])
  })

  test.each<[string, string[], boolean, object]>([
    ['nothing came yet: aborted', [], false, { reason: 'client_disconnected', within: [] }],
    [
      'the account aborts too often: drained',
      [],
      true,
      { reason: undefined, within: ['client_disconnected in 120000'] },
    ],
    [
      'output came: its usage is awaited',
      ['Hi\n'],
      false,
      { reason: undefined, within: ['client_disconnected in 5000'] },
    ],
  ])('a disconnect, %s', async (_, pieces, mustDrain, expected) => {
    const { call, client, stream, drains, upstreamCall, dependencies } = start([...pieces, '.\n'])
    if (pieces.length > 0) await readUntilOutput(call, stream, dependencies as never)
    if (mustDrain) drains.add(1n)
    client.onDisconnect?.()
    expect(upstreamCall).toMatchObject(expected)
  })
})

describe('relaying', () => {
  const relayed = async ({ stream, streamClient, upstreamCall }: ReturnType<typeof start>, early: string[] = []) =>
    await relay(
      { stream, early: early.map((text) => Buffer.from(text)) },
      streamClient,
      upstreamCall as never,
      STREAM_TIMING,
    )

  test.each<[string, (string | Error)[], string]>([
    ['finished', ['Hello\n', '$\n#\n'], 'completed'],
    ['ended without a last event, but finished', ['Hello\n', '$\n'], 'completed'],
    ['ended without a finish', ['Hello\n'], 'cut'],
    ['broken', ['Hello\n', new Error('reset')], 'cut'],
    ['an error event', ['Hello\n', '!\n'], 'failed'],
  ])('%s', async (_, pieces, outcome) => {
    const started = start(pieces)
    expect(await relayed(started, ['early '])).toBe(outcome as never)
    expect(started.written()).toStartWith('early Hello')
  })

  test('output that the hold does not cover is not written', async () => {
    const asked: number[] = []
    const mayContinue = (bytes: number) => {
      asked.push(bytes)
      return bytes < 10
    }
    const started = start(['12345\n12345\n12345\n12345\n'], { nextAt: 5, coveredTo: 5, mayContinue })
    expect(await relayed(started)).toBe('stopped_by_balance')
    expect([asked, started.written()]).toEqual([[5, 10], '12345\n12345\n'])
  })

  test('a client that disconnected gets nothing more, and its stream ends where its hold ends', async () => {
    const started = start(['12345\n', '12345\n', '12345\n'], { ...FREE, coveredTo: 10 })
    const first = await started.stream.read()
    started.stream.push(first ?? Buffer.alloc(0))
    started.client.isDisconnected = true
    started.client.onDisconnect?.()
    expect(await relayed(started)).toBe('client_disconnected')
    expect([started.streamClient.deliveredBytes, started.written()]).toEqual([5, ''])
  })
})

describe('ending', () => {
  const tokens = { input: 3, output: 4, cachedInput: 0, cacheWrite: 0 }

  test.each([
    ['completed', 'tail'],
    ['incomplete', 'tail'],
    ['stopped_by_balance', 'stopped at 3 and 4'],
    ['failed', 'failed: upstream_error'],
    ['cut', 'failed: upstream_error'],
    ['timeout', 'failed: upstream_timeout'],
    ['shutdown', 'failed: service_unavailable'],
  ] as const)('%s: settled before the last bytes', async (outcome, expected) => {
    const { call, stream, dependencies, upstreamCall } = start([])
    stream.tail = Buffer.from('tail')
    const settled: Observed[] = []
    const settle: ChargeTokens = async (observed, _, before) => {
      await before?.({ tokens } as never)
      settled.push(observed)
      return { tokens } as never
    }
    const last = await endStream(call, outcome, stream, { deliveredBytes: 7 }, settle, dependencies as never)
    expect(String(last)).toBe(expected)
    expect(settled).toMatchObject([{ outcome, deliveredBytes: 7 }])
    expect(upstreamCall.cancelled).toBe(1)
  })

  test.each(['completed', 'stopped_by_balance'] as const)('%s: stored before it is charged', async (outcome) => {
    const { call, stream, dependencies } = start([])
    stream.tail = Buffer.from('tail')
    const order: string[] = []
    const keepResponse = async (last: Uint8Array) => {
      order.push(`stored: ${Buffer.from(last)}`)
      return last
    }
    const settle: ChargeTokens = async (_observed, _whole, before) => {
      await before?.({ tokens } as never)
      order.push('charged')
      return { tokens } as never
    }
    const keeping = { ...call, own: { ...call.own, keepResponse } }
    await endStream(keeping, outcome, stream, { deliveredBytes: 7 }, settle, dependencies as never)
    const last = outcome === 'completed' ? 'tail' : 'stopped at 3 and 4'
    expect(order).toEqual([`stored: ${last}`, 'charged'])
  })

  test('without a settlement there are no last bytes', async () => {
    const { call, stream, dependencies } = start([])
    const settle = () => Promise.reject(new Error('not settled'))
    const ending = endStream(call, 'completed', stream, { deliveredBytes: undefined }, settle, dependencies as never)
    expect(await ending.catch((error: Failure) => error.message)).toBe('not settled')
  })
})
