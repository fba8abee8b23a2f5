// What tests of the console in a real browser share: one gateway and one browser for the whole file, and accounts that are signed in by
// the API. Only tests of the sign-in fill in its form.
import { afterAll, beforeAll, expect } from 'bun:test'
import { type Browser, startBrowser } from '../browser.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../gateway/console.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../gateway/gateway.ts'
import { type ConsolePage, openConsole, type View } from './page.ts'

/** `client`: a browser of the account holder that is signed in, for what a test needs besides the page. */
export type Account = { email: string; client: ConsoleClient }

/** Without an account the page is opened signed out. */
export type Visit = View & { account?: Account }

export type ConsoleInBrowser = {
  readonly gateway: Gateway
  readonly browser: Browser
  newAccount(credit?: string): Promise<Account>
  /** Opens a page of the console; after `use`, there were no script errors and no violations of the content security policy. */
  visit<T>(path: string, visit: Visit, use: (opened: ConsolePage) => Promise<T>): Promise<T>
}

/** Call it at the top of a test file. `options`: a function if they need servers that the file starts first. */
export function useConsole(options: GatewayOptions | (() => Promise<GatewayOptions>) = {}): ConsoleInBrowser {
  let running: { gateway: Gateway; browser: Browser } | undefined
  const use = () => {
    if (!running) throw new Error('the gateway and the browser start before the first test')
    return running
  }
  beforeAll(async () => {
    const start = async () => startGateway(typeof options === 'function' ? await options() : options)
    const [gateway, browser] = await Promise.all([start(), startBrowser()])
    running = { gateway, browser }
  })
  afterAll(async () => {
    await running?.browser.close()
    await running?.gateway.stop()
  })

  let accounts = 0
  return {
    get gateway() {
      return use().gateway
    },
    get browser() {
      return use().browser
    },
    async newAccount(credit = '10') {
      const { gateway } = use()
      const email = `person-${++accounts}@example.com`
      await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', credit)
      const client = consoleClient(gateway.url)
      expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
      return { email, client }
    },
    async visit(path, { account, ...view }, then) {
      const { gateway, browser } = use()
      const opened = await openConsole(browser, gateway.url, path, view, account?.client.token())
      try {
        const result = await then(opened)
        expect(opened.problems).toEqual([])
        return result
      } finally {
        await opened.close()
      }
    },
  }
}
