// How notices are delivered: at most once each, within bounds, and nothing is lost silently.
import { describe, expect, test } from 'bun:test'
import { newKey } from '../../contract/storage/harness.ts'
import { STORE_ENGINES } from '../../test-support/clocked-store.ts'
import { NOTICES_START, noticesConfig, USD, useNotices } from '../../test-support/notices.ts'
import { PAUSES_MS, SENDING_MS } from './deliver.ts'
import { MOST_WAITING } from './tell.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe.each([...STORE_ENGINES])('on %s', (engine) => {
  const w = useNotices(engine)
  const { storage, find, deliver, run, newAccount, spend, subjects, listed, received, logged } = w

  describe('bounds', () => {
    test('of an hour: further notices are listed, and not sent', async () => {
      w.config = noticesConfig(w.smtp.port, 'per_hour: 2')
      const ada = await newAccount('ada@example.com')
      for (let count = 0; count < 4; count++) {
        const key = await newKey(storage(), ada.account, { cap: USD, name: `key ${count}` })
        await spend({ ...ada, key: key.id }, 0.9)
      }
      await run()
      expect(w.smtp.mails).toHaveLength(2)
      expect((await listed(ada.account)).map(({ withheld, sent }) => [withheld, sent.length])).toEqual([
        ['hour', 0],
        ['hour', 0],
        ['', 1],
        ['', 1],
      ])
      expect(logged.filter(({ message }) => message === 'notice withheld')).toHaveLength(2)
      await w.store.elapse(HOUR)
      const later = await newKey(storage(), ada.account, { cap: USD })
      await spend({ ...ada, key: later.id }, 0.9)
      await run()
      expect(w.smtp.mails).toHaveLength(3)
    })

    test('of what waits: a webhook that is down for days fills no database', async () => {
      w.config = noticesConfig(undefined, 'per_hour: 1000')
      const ada = await newAccount('ada@example.com')
      await storage().notices.setWebhook(ada.account, w.hook)
      for (let count = 0; count < MOST_WAITING + 3; count++)
        await storage().notices.tell(
          { account: ada.account, subject: `expiry:${count}`, period: 0, basis: 0n, level: 100 },
          { account: ada.account, kind: 'key', person: undefined, facts: '{}', at: w.store.now(), withheld: '' },
          [undefined],
        )
      const key = await newKey(storage(), ada.account, { cap: USD })
      await spend({ ...ada, key: key.id }, 0.9)
      await find()
      expect((await listed(ada.account))[0]).toMatchObject({ withheld: 'queue', sent: [] })
    })

    test('a greedy account with a webhook that hangs does not delay a polite one', async () => {
      w.config = noticesConfig(w.smtp.port, 'per_hour: 1000')
      const greedy = await newAccount('greedy@example.com')
      const polite = await newAccount('polite@example.com', { cap: 10n * USD })
      const hanging = Promise.withResolvers<Response>()
      w.answer = () => hanging.promise
      await storage().notices.setWebhook(greedy.account, w.hook)
      for (let count = 0; count < 80; count++) {
        const key = await newKey(storage(), greedy.account, { cap: USD, name: `key ${count}` })
        await spend({ ...greedy, key: key.id }, 0.9)
      }
      await find()
      await w.store.elapse(1)
      await spend(polite, 9)
      await find()
      const sending = deliver()
      while (!subjects().some((subject) => subject.startsWith('polite@'))) await w.smtp.next()
      expect(w.smtp.mails.length).toBeLessThanOrEqual(4)
      hanging.resolve(new Response(null, { status: 204 }))
      await sending
    })
  })

  describe('a delivery', () => {
    test('is repeated with pauses, then given up, and the list says so', async () => {
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      await storage().notices.setWebhook(ada.account, w.hook)
      await storage().people.setPreferences(ada.person, { notices: [] })
      w.answer = () => new Response(null, { status: 503 })
      await spend(ada, 9)
      await run()
      expect(await listed(ada.account)).toMatchObject([{ sent: ['webhook waiting'] }])
      for (const pause of PAUSES_MS) {
        await w.store.elapse(pause - 1)
        await deliver()
        const before = received.length
        await w.store.elapse(1)
        await deliver()
        expect(received).toHaveLength(before + 1)
      }
      await w.store.elapse(30 * DAY)
      await run()
      expect(received).toHaveLength(1 + PAUSES_MS.length)
      expect(new Set(received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
      expect(await listed(ada.account)).toMatchObject([{ sent: ['webhook failed'] }])
      expect(logged.at(-1)).toMatchObject({ error: 'the webhook answered with status 503', given_up: true })
    })

    test('to a private address is refused unless the operator allows it; it follows no redirect', async () => {
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      await storage().notices.setWebhook(ada.account, w.hook)
      w.config = { ...w.config, callbacks: { allowPrivate: false } }
      await spend(ada, 9)
      await run()
      expect(received).toEqual([])
      w.config = noticesConfig(w.smtp.port)
      w.answer = () => Response.redirect(`${w.hook}other`)
      await w.store.elapse(MINUTE)
      await deliver()
      expect(received).toHaveLength(1)
      expect(await listed(ada.account)).toMatchObject([{ sent: ['webhook waiting', 'ada@example.com sent'] }])
    })

    test('by email is repeated if the server was busy, and not if it does not take it', async () => {
      await w.newSmtp({ mode: 'plain', replies: [451, 550] })
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      const bob = await newAccount('bob@example.com', { cap: 10n * USD })
      await spend(ada, 9)
      await run()
      await spend(bob, 9)
      await run()
      expect(w.smtp.mails).toEqual([])
      await w.store.elapse(MINUTE)
      await deliver()
      expect(subjects()).toHaveLength(1)
      expect(await listed(ada.account)).toMatchObject([{ sent: ['ada@example.com sent'] }])
      expect(await listed(bob.account)).toMatchObject([{ sent: ['bob@example.com failed'] }])
    })

    test('by email that may have arrived is not repeated; one that cannot have is', async () => {
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      const breaking = await startBreakingSmtp()
      w.config = noticesConfig(breaking.port)
      await spend(ada, 9)
      await run()
      expect(await listed(ada.account)).toMatchObject([{ sent: ['ada@example.com unknown'] }])
      expect(breaking.bodies()).toBe(1)
      await w.store.elapse(DAY)
      await run()
      expect(breaking.bodies()).toBe(1)
      breaking.stop()
      // Nobody is there.
      await spend(ada, 1)
      await run()
      expect((await listed(ada.account))[0]).toMatchObject({ kind: 'key', sent: ['ada@example.com waiting'] })
    })

    test('that was under way when the process ended is not sent again, and shown as unknown', async () => {
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      await spend(ada, 9)
      await find()
      const [due] = await storage().notices.due(w.store.now(), w.store.now(), 4, 40)
      expect(await storage().notices.claim(due ?? { id: 0n, tries: 0 }, w.store.now() + SENDING_MS)).toBe(true)
      await w.store.reopen()
      await w.store.elapse(SENDING_MS - 1)
      await run()
      expect(await listed(ada.account)).toMatchObject([{ sent: ['ada@example.com sending'] }])
      await w.store.elapse(1)
      await run()
      expect(await listed(ada.account)).toMatchObject([{ sent: ['ada@example.com unknown'] }])
      expect(w.smtp.mails).toEqual([])
    })

    test('to whom it is no longer for is given up', async () => {
      const ada = await newAccount('ada@example.com', { cap: 10n * USD })
      await storage().notices.setWebhook(ada.account, w.hook)
      await spend(ada, 9)
      await find()
      await storage().notices.setWebhook(ada.account, undefined)
      await storage().members.remove(ada.account, ada.person)
      await deliver()
      expect(await listed(ada.account)).toMatchObject([{ sent: ['webhook failed', 'ada@example.com failed'] }])
      expect([w.smtp.mails, received]).toEqual([[], []])
    })
  })

  test('old notices are removed, and an account keeps the last thousand', async () => {
    const ada = await newAccount('ada@example.com')
    const { notices } = storage()
    for (let count = 0; count < 1_003; count++)
      await notices.tell(
        { account: ada.account, subject: `key:${count}`, period: 0, basis: 0n, level: 1 },
        {
          account: ada.account,
          kind: 'key',
          person: undefined,
          facts: `{"n":${count}}`,
          at: NOTICES_START + count,
          withheld: '',
        },
        [ada.person],
      )
    const facts = async () => (await notices.list(ada.account, {}, 2_000)).map((notice) => notice.facts)
    expect(await facts()).toHaveLength(1_000)
    expect((await facts()).at(-1)).toBe('{"n":3}')
    while ((await notices.sweep(NOTICES_START + 1_000, 100)) > 0) {
      // The next page.
    }
    expect(await facts()).toEqual(['{"n":1002}', '{"n":1001}', '{"n":1000}'])
  })
})

/** A mail server that takes what it is sent, and breaks off before it says so. */
async function startBreakingSmtp() {
  let bodies = 0
  const server = Bun.listen<{ inBody: boolean }>({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      open(socket) {
        socket.data = { inBody: false }
        socket.write('220 breaks\r\n')
      },
      data(socket, bytes) {
        const text = bytes.toString()
        if (socket.data.inBody) {
          if (!text.endsWith('\r\n.\r\n')) return
          bodies += 1
          socket.end()
        } else if (/^DATA/i.test(text)) {
          socket.data.inBody = true
          socket.write('354 go on\r\n')
        } else socket.write('250 fine\r\n')
      },
    },
  })
  return { port: server.port, bodies: () => bodies, stop: () => server.stop(true) }
}
