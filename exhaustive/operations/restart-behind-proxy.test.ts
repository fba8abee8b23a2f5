// The only node restarts behind a proxy that repeats what no gateway has received, as deploy/proxies/haproxy-one-node.cfg does.
import { expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, startGateway } from '../../test/support/gateway/gateway.ts'

const CLIENTS = 4

test('no request fails while the only gateway restarts, and each is charged once', async () => {
  const first = await startGateway()
  const { url, home } = first
  const { secret, rows } = await newKey(first, '100')
  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'say 5 words' }] }
  const throughProxy = async (): Promise<Response> => {
    for (;;)
      try {
        return await chat(url, secret, body, { connection: 'close' })
      } catch (error) {
        if ((error as { code?: string }).code !== 'ECONNREFUSED') throw error
        await Bun.sleep(50)
      }
  }
  const answers: { status: number; id: string; text: string }[] = []
  let going = true
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (going) {
      const answer = await throughProxy()
      const text = await answer.text()
      answers.push({ status: answer.status, id: answer.headers.get('x-request-id') ?? '', text })
    }
  })
  await eventually(() => answers.length >= CLIENTS)
  first.signal('SIGTERM')
  await first.exited
  const before = answers.length
  const second = await startGateway({ home, env: { PORT: new URL(url).port } })
  try {
    await eventually(() => answers.length >= before + 2 * CLIENTS)
    going = false
    await Promise.all(clients)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const charged = (await rows()).filter(({ cost_usd }) => Number(cost_usd) > 0).map(({ request_id }) => request_id)
    expect(charged.toSorted()).toEqual(answers.map(({ id }) => id).toSorted())
  } finally {
    await second.stop()
  }
})
