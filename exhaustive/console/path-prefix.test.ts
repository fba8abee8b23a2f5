// The console behind a reverse proxy that serves the gateway below a path of its own and removes it from requests.
import { afterAll, expect, test } from 'bun:test'
import { useConsole } from '../../test/support/console/use-console.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const PREFIX = '/tools/gw'
let target = ''
const proxy = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname, search } = new URL(request.url)
    if (!pathname.startsWith(`${PREFIX}/`)) return new Response('another application', { status: 404 })
    const { method, headers, body } = request
    return fetch(target + pathname.slice(PREFIX.length) + search, {
      method,
      headers,
      body,
      redirect: 'manual',
      decompress: false,
    })
  },
})
afterAll(() => proxy.stop(true))

const publicUrl = `http://127.0.0.1:${proxy.port}${PREFIX}`
const open = useConsole({ config: `server: { public_url: "${publicUrl}" }\n` })

test('pages, their files, the API, the first key and the playground work below the path', async () => {
  target = open.gateway.url
  const { email } = await open.newAccount()
  const { url } = await open.gateway.command<{ url: string }>('account', 'sign-in-link', '--account', email)
  expect(url).toStartWith(`${publicUrl}/console/setup#`)
  await open.visit('', {}, async ({ page }) => {
    const outside: string[] = []
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url())
      if (origin === proxy.url.origin && !pathname.startsWith(PREFIX)) outside.push(pathname)
    })
    await page.goto(url)
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    await page.getByText(`${publicUrl}/v1`).first().waitFor()
    await page.getByRole('button', { name: 'Send a test request' }).click()
    await page.getByText('The gateway responded.').waitFor()
    // Deep pages find their files after a reload, with and without a slash at the end of the first one.
    for (const [path, heading] of [
      ['', 'Overview'],
      ['/', 'Overview'],
      ['/models/a/b', 'Models'],
      ['/playground?tab=text&model=sandbox-text', 'Playground'],
    ]) {
      await page.goto(`${publicUrl}/console${path}`)
      await page
        .getByRole('heading', { name: heading ?? '' })
        .first()
        .waitFor()
    }
    await page.getByLabel('Message').fill('Hello')
    // Enabled once the models are there.
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const answer = page.getByRole('article', { name: 'sandbox-text' })
    await answer.getByRole('button', { name: /^[\d.]+\sUSD$/ }).waitFor()
    await page.goto(`${publicUrl}/console/connect`)
    const reference = await page.getByRole('link', { name: 'API reference' }).getAttribute('href')
    await page.goto(new URL(reference ?? '', page.url()).href)
    await page.getByRole('heading', { name: 'Admin: keys' }).waitFor()
    expect(page.url()).toBe(`${publicUrl}/docs`)
    expect(outside).toEqual([])
  })
})
