// The tabs of the playground for vectors, speech and transcriptions, in a real browser.
import { expect, test } from 'bun:test'
import type { Locator, Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { wavOf } from '../../test/support/requests/audio.ts'

const open = useConsole(async () => ({}))

const costOf = (within: Locator): Locator => within.getByRole('button', { name: /^[\d.]+\sUSD$/ })

/** Opens a tab as a new account. */
async function play(tab: string, use: (page: Page) => Promise<void>): Promise<void> {
  const account = await open.newAccount()
  await open.visit(`/playground?tab=${tab}`, { account }, async ({ page, problems }) => {
    await page.getByLabel('Model').waitFor()
    await use(page)
    expect(problems).toEqual([])
  })
}

/** Opens the code below an answer. */
async function expectCode(article: Locator, codes: readonly (readonly [language: string, code: string])[]) {
  await article.getByRole('button', { name: 'Code', exact: true }).click()
  for (const [language, code] of codes) {
    await article.getByText(language, { exact: true }).click()
    await article.getByText(code).first().waitFor()
  }
}

test('a text is gone on with, and the gap before another text is filled in', async () => {
  await play('completion', async (page) => {
    await page.getByLabel('Text before').fill('def add(a, b):\n')
    await page.getByRole('button', { name: 'Complete' }).click()
    const first = page.getByRole('article')
    await costOf(first).waitFor()
    await page.getByLabel('Text after').fill('print(add(1, 2))')
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByRole('article').nth(1).waitFor()
    const second = page.getByRole('article').first()
    await costOf(second).waitFor()
    expect(await second.locator('pre').first().innerText()).toMatch(/\S[\s\S]*print\(add\(1, 2\)\)$/)
    await expectCode(second, [
      ['curl', `${open.gateway.url}/v1/completions`],
      ['Python', 'suffix="print(add(1, 2))"'],
    ])
  })
})

test('texts are compared by their vectors, of which only the similarities are kept', async () => {
  await play('embedding', async (page) => {
    const compare = page.getByRole('button', { name: 'Compare' })
    await page.getByLabel('Texts').fill('one line')
    expect(await compare.isDisabled()).toBe(true)
    await page.getByLabel('Texts').fill('the red cat sleeps\n\nthe red cat eats\ninterest rates rose')
    await compare.click()
    const article = page.getByRole('article')
    await costOf(article).waitFor()
    const cells = await article.getByRole('table', { name: 'Similarity of the texts' }).locator('td').allInnerTexts()
    const figures = cells.filter((text) => text !== '').map(Number)
    expect(figures.length).toBe(9)
    const [same = 0, near = 0, far = 0] = figures
    expect(same).toBe(1)
    expect(near).toBeGreaterThan(far)
    await article.getByText(/^\d+ input tokens$/).waitFor()
    await expectCode(article, [
      ['curl', `${open.gateway.url}/v1/embeddings`],
      ['JavaScript', 'await client.embeddings.create('],
    ])
    await page.reload()
    await page.getByRole('table', { name: 'Similarity of the texts' }).waitFor()
  })
})

test('a text is spoken, can be listened to and downloaded, and costs its characters', async () => {
  await play('speech', async (page) => {
    await page.getByLabel('Text to speak').fill('The tide comes in twice a day.')
    await page.getByLabel('Format').selectOption('wav')
    await page.getByRole('button', { name: 'Generate speech' }).click()
    const article = page.getByRole('article', { name: 'The tide comes in twice a day.' })
    await costOf(article).waitFor()
    const seconds = await article.locator('audio').evaluate(async (element) => {
      const player = element as unknown as { muted: boolean; play(): Promise<void>; duration: number }
      player.muted = true
      await player.play()
      return player.duration
    })
    expect(seconds).toBeGreaterThan(0.2)
    await article.getByText('30 characters', { exact: true }).waitFor()
    expect(await article.getByRole('link', { name: 'Download' }).getAttribute('download')).toBe('speech.wav')
    await expectCode(article, [['curl', '-o speech.wav']])
    await page.reload()
    await page.locator('audio').waitFor()
  })
})

test('a recording is uploaded and read; a microphone that may not be used says so', async () => {
  await play('transcription', async (page) => {
    const transcribe = page.getByRole('button', { name: 'Transcribe' })
    expect(await transcribe.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await page.getByText('The microphone cannot be used.').waitFor()
    const recording = { name: 'meeting.wav', mimeType: 'audio/wav', buffer: wavOf(2) }
    await page.getByLabel('Choose a file').first().setInputFiles(recording)
    await page.getByText('meeting.wav').waitFor()
    await transcribe.click()
    const article = page.getByRole('article', { name: 'meeting.wav' })
    await costOf(article).waitFor()
    await article
      .getByText(/\[sandbox\]/)
      .first()
      .waitFor()
    await article.getByText('2 seconds of audio').waitFor()
    await expectCode(article, [
      ['curl', "-F 'file=@meeting.wav'"],
      ['Python', 'client.audio.transcriptions.create('],
    ])
  })
})

test.each(['embedding', 'speech', 'transcription'])('the tab %s looks right in both languages', async (tab) => {
  const account = await open.newAccount()
  for (const view of LANGUAGES)
    await open.visit(`/playground?tab=${tab}`, { ...view, account }, async ({ page }) => {
      await page.locator('form button[type=submit]').waitFor()
      await expectWellShown(page, `playground-${tab}-${view.locale}`, inTheme(view.dark))
    })
})
