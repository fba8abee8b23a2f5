// Uploads that cannot be paid for, or are not allowed, are rejected before their body has arrived.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newKey } from '../support/gateway/accounts.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { startImageGateway } from '../support/gateway/image-gateway.ts'
import { operate } from '../support/gateway/operate.ts'
import { spooledFiles } from '../support/gateway/spooled-files.ts'
import { edit, formOf, pngOf } from '../support/requests/images.ts'
import { respondWithImages } from '../support/upstreams/image-replies.ts'

const GROUPS = `groups:
  - { id: default, models: ["*"] }
  - { id: texts, models: [sandbox-text] }
`

const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`

describe.each(ENGINES)('%s', (engine) => {
  const started = startImageGateway(engine, GROUPS)

  /** Announces a large body and sends only its beginning; what comes back. */
  async function begin(secret: string, beginning = '', headers: Record<string, string> = {}): Promise<string> {
    const { gateway } = await started
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    const lines = Object.entries({
      host: 'x',
      authorization: `Bearer ${secret}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '10000000',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`)
    socket.write(`POST /v1/images/edits HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${beginning}`)
    const received = await new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (data) => {
        text += data
        if (/\r\n\r\n.+/s.test(text)) resolve(text)
      })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
    socket.destroy()
    return received
  }

  test('without a balance, with a cap that is used up, and in a group without image models', async () => {
    const { gateway } = await started
    const empty = await newKey(gateway, '0')
    expect(await begin(empty.secret)).toMatch(/^HTTP\/1.1 402 .*insufficient_balance/s)
    // Nothing is asked for that will be rejected anyway.
    expect(await begin(empty.secret, '', { expect: '100-continue' })).toMatch(/^HTTP\/1.1 402 /)
    const capped = await newKey(gateway, '10', { cap: '0.001' })
    expect(await begin(capped.secret)).toMatch(/^HTTP\/1.1 402 .*key_quota_exceeded/s)
    const other = await newKey(gateway, '10', { group: 'texts' })
    expect(await begin(other.secret)).toMatch(/^HTTP\/1.1 403 .*model_not_allowed/s)
    expect([await empty.rows(), spooledFiles(gateway.home)]).toEqual([[], []])
  })

  test('with a balance, as soon as the model is known', async () => {
    const { gateway } = await started
    const poor = await newKey(gateway, '0.03')
    const model = (name: string) => `${part('model')}${name}\r\n${part('image', '; filename="a"')}`
    expect(await begin(poor.secret, model('none'))).toMatch(/^HTTP\/1.1 404 .*model_not_found/s)
    expect(await begin(poor.secret, model('sandbox-image'))).toMatch(/^HTTP\/1.1 402 .*insufficient_balance/s)
    const limited = await newKey(gateway, '10', { models: 'two' })
    expect(await begin(limited.secret, model('img'))).toMatch(/^HTTP\/1.1 403 .*model_not_allowed/s)
  })

  test('a repeated request is answered again, whatever is left of the balance', async () => {
    const { gateway, first } = await started
    first.behave(respondWithImages(1))
    const key = await newKey(gateway, '0.04')
    const image = await pngOf(64, 64)
    const send = (name: string) => {
      const form = formOf([
        ['model', 'img'],
        ['prompt', 'a hat'],
        ['size', '512x512'],
        ['image', image],
      ])
      return edit(gateway.url, key.secret, form, { headers: { 'idempotency-key': name } })
    }
    expect((await send('one')).status).toBe(200)
    await operate(gateway, 'account credit', { account: key.email, amount: '-0.02' })
    const again = await send('one')
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect((await send('two')).status).toBe(402)
    expect(await key.settled()).toHaveLength(1)
  })
})
