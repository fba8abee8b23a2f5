// The links of emails in a real browser: from the form that asks for one, through a real SMTP server, to the page that it opens.
import { afterAll, expect, test } from 'bun:test'
import { inLanguage } from '../../packages/console/src/i18n/say.ts'
import * as texts from '../../packages/console/src/i18n/texts/index.ts'
import {
  type ReceivedMail,
  SMTP_CERTIFICATE,
  startSmtp,
  type TestSmtp,
} from '../../packages/gateway/test-support/smtp-server.ts'
import type { Page } from '../../test/support/browser.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const [en, zh] = [inLanguage(texts, 'en'), inLanguage(texts, 'zh')]
const NEW_PASSWORD = 'another password'

let smtp: TestSmtp
const open = useConsole(async () => {
  smtp = await startSmtp({ mode: 'starttls' })
  const mail = `mail: { url: "smtp://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }`
  return { config: `registration: { trial_budget_per_day: 1000 }\n${mail}\n` }
})
afterAll(() => smtp.stop())

/** The link as a mail program finds it, below the console of this gateway. */
function linkIn({ text }: ReceivedMail, kind: 'verify' | 'reset'): string {
  const [link = ''] = /^https?:\S+$/m.exec(text) ?? []
  expect(link).toStartWith(`${open.gateway.url}/console/${kind}#`)
  return link.slice(`${open.gateway.url}/console`.length)
}

test.each([
  { language: 'en', locale: 'en-GB', texts: en, verify: 'Open this link to verify', reset: 'Open this link to choose' },
  { language: 'zh', locale: 'zh-CN', texts: zh, verify: '请打开以下链接验证邮箱', reset: '请打开以下链接设置新密码' },
])('$language: sign up, verify the address, forget the password and choose another', async (each) => {
  const { locale, texts, language } = each
  const { auth, settings } = texts
  const email = `${language}@example.com`
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const fill = async (page: Page, label: string, password: string) => {
    await page.getByLabel(label, { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  /** In another browser, as on a phone. */
  const elsewhere = <T>(path: string, use: (page: Page) => Promise<T>): Promise<T> =>
    open.visit(path, { locale }, ({ page }) => use(page))

  await open.visit('/sign-up', { locale }, async ({ page }) => {
    await page.getByLabel(auth.email, { exact: true }).fill(email)
    await fill(page, auth.password, PASSWORD)
    const mail = await smtp.next()
    expect([mail.to, mail.text]).toEqual([[email], expect.stringContaining(each.verify)])
    await heading(page, texts.overview.title)
    await page.goto(`${open.gateway.url}/console/settings`)
    await page.getByText(settings.account.unverified, { exact: true }).waitFor()

    const verify = linkIn(mail, 'verify')
    await elsewhere(verify, async (other) => {
      await heading(other, auth.verify.done)
      expect(other.url()).not.toContain('#')
      await other.getByRole('link', { name: auth.verify.open }).click()
      await heading(other, auth.signIn.title('Trivium'))
    })
    await elsewhere(verify, (other) => heading(other, auth.expired.title))
    // No other person can have been signed in: the first proof from another browser ends the sessions from before.
    await page.reload()
    await heading(page, auth.signIn.title('Trivium'))
    await page.getByLabel(auth.email, { exact: true }).fill(email)
    await fill(page, auth.password, PASSWORD)
    await page.getByText(settings.account.verified, { exact: true }).waitFor()

    const reset = await elsewhere('/sign-in', async (other) => {
      await other.getByRole('link', { name: auth.signIn.forgot }).click()
      await other.getByLabel(auth.email, { exact: true }).fill(` ${email.toUpperCase()} `)
      await other.keyboard.press('Enter')
      await heading(other, auth.forgot.sent)
      const received = await smtp.next()
      expect([received.to, received.text]).toEqual([[email], expect.stringContaining(each.reset)])
      const link = linkIn(received, 'reset')
      await other.goto(`${open.gateway.url}/console${link}`)
      await heading(other, auth.reset.title)
      expect(other.url()).not.toContain('#')
      await other.getByText(auth.passwordRule(8)).waitFor()
      await fill(other, auth.newPassword, 'short')
      await other.getByText(auth.passwordShort(8)).waitFor()
      await fill(other, auth.newPassword, NEW_PASSWORD)
      await other.getByText(auth.reset.done).waitFor()
      await other.getByLabel(auth.email, { exact: true }).fill(email)
      await fill(other, auth.password, PASSWORD)
      await other.getByText(auth.signIn.wrong).waitFor()
      await fill(other, auth.password, NEW_PASSWORD)
      await heading(other, texts.overview.title)
      return link
    })
    // The browser that was signed in before is not any more.
    await page.reload()
    await heading(page, auth.signIn.title('Trivium'))
    await elsewhere(reset, async (other) => {
      await fill(other, auth.newPassword, 'a third password')
      await heading(other, auth.expired.title)
      await other.getByRole('link', { name: auth.expired.again }).click()
      await heading(other, auth.forgot.title)
    })
  })
})
