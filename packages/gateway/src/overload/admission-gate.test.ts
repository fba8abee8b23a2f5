// While the CPU is saturated: requests are queued unread at the gate, and then served as usual.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import { serveForTest } from '../../../http/test-support/serve.ts'
import { createTestDependencies } from '../../test-support/dependencies.ts'
import { createApp } from '../app.ts'
import { createAdmission, type Slot } from './admission.ts'
import { createAdmissionGate } from './load-shedding.ts'

const ANSWER = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'same',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
let [isAccepting, sent] = [true, 0]
const { deps: others, ends } = createTestDependencies({
  send: async () => {
    sent++
    return responseOf(Response.json(ANSWER))
  },
})
const receipts: string[] = []
const settler: typeof others.settler = {
  ...others.settler,
  async open(hold) {
    const opened = await others.settler.open(hold)
    if (opened.verdict !== 'open') return opened
    const { request } = opened
    const settle: typeof request.settle = (...end) => {
      receipts.push(end[3])
      return request.settle(...end)
    }
    return { verdict: 'open', request: { ...request, settle } }
  },
}
const admission = createAdmission({ inFlight: 1_000, memoryBytes: 1e9 })
const deps = { ...others, settler, admission }
const app = createApp(deps, { ready: () => true, accepting: () => isAccepting })
const server = serveForTest(app, { gate: createAdmissionGate(deps) })
afterAll(() => {
  void server.stop()
  deps.ticker.stop()
})

let accounts = 100n
/** Each load has an account of its own. */
const load = () => ({ tenant: { account: ++accounts, key: accounts }, bytes: 0, isArriving: false })

let atWork: (Slot | undefined)[] = []
beforeEach(() => {
  ;[isAccepting, sent] = [true, 0]
  ends.length = 0
})

/** More requests run than the CPU can serve. */
function saturate(): void {
  atWork = Array.from({ length: 129 }, () => admission.enter(load()))
  const now = performance.now()
  for (const later of [0, 1_000]) admission.tick(now + later, 1)
  expect(admission.isSaturated).toBe(true)
}

function makeRoom(): void {
  for (const slot of atWork.splice(0)) slot?.release()
}

const BODY = JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] })
const post = (body = BODY, authorization = 'Bearer sk-0000000000000000') =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })

async function untilWaiting(count: number): Promise<void> {
  while (admission.queued < count) await Bun.sleep(1)
}

test('queued requests are served in FIFO order, and their time at the gate counts as queued', async () => {
  saturate()
  const answers = [post(), post(), post()]
  await untilWaiting(3)
  await Bun.sleep(50)
  expect([sent, admission.inFlight]).toEqual([0, 129])
  makeRoom()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(ends.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed'])
  expect([admission.inFlight, admission.queued, admission.bytes]).toEqual([0, 0, 0])
  for (const receipt of receipts) expect(JSON.parse(receipt).total_ms).toBeGreaterThanOrEqual(50)
})

test('a request that arrived before the server stopped is served, a later one is not', async () => {
  saturate()
  const before = post()
  await untilWaiting(1)
  isAccepting = false
  makeRoom()
  expect((await before).status).toBe(200)
  expect((await post()).status).toBe(503)
})

test('a request that is rejected after the gate gets its reason in order, and takes no slot', async () => {
  saturate()
  const answers = [post(BODY, ''), post('{'), post(BODY, ''), post()]
  await untilWaiting(4)
  makeRoom()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 400, 401, 200])
  expect([sent, admission.inFlight, admission.bytes]).toEqual([1, 0, 0])
})

test('an admitted request is served even if the queue limit has shrunk below its length', async () => {
  // At this rate the queue limit is in the hundreds.
  for (let count = 0; count < 1_000; count++) admission.enter(load())?.release()
  saturate()
  const answers = Array.from({ length: 100 }, () => post())
  await untilWaiting(100)
  // No request is admitted for a while.
  while (!admission.isShedding) admission.tick(performance.now(), 1)
  for (const slot of atWork.splice(0, 2)) slot?.release()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  makeRoom()
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})
