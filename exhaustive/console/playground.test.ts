// The playground in a real browser: chat, images and videos as a person uses them, and answers of a hostile model.
import { afterAll, expect, test } from 'bun:test'
import type { Locator, Page } from '../../test/support/browser.ts'
import { choose } from '../../test/support/console/choose.ts'
import { type ConsolePage, expectWellShown, VIEWS, type View, WIDTHS } from '../../test/support/console/page.ts'
import { dropPixel, PIXEL } from '../../test/support/console/pixel.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import type { ConsoleClient } from '../../test/support/gateway/console.ts'
import {
  configFor,
  DONE,
  event,
  finish,
  role,
  startUpstream,
  stream,
  type Upstream,
  usage,
} from '../../test/support/upstreams/raw-upstream.ts'

const TOOLS = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }]

/** Nobody says how long its videos are. */
const FILMS = `
  - { id: cinema, dialect: video-tasks, base_url: "http://127.0.0.1:9/api/v3", keys: [unused] }
models:
  - { id: films, type: video, routes: [{ upstream: cinema, model: film }], price: { per_second: 0.05, variants: { 1080p: 0.12 } } }`
let upstream: Upstream
const open = useConsole(async () => {
  upstream = await startUpstream()
  return { config: configFor(upstream).replace('models:', FILMS), streamTiming: { usageWaitMs: 100 } }
})
afterAll(() => upstream?.stop())

/** Opens the playground as a new account. */
async function play(
  path: string,
  view: View,
  use: (page: Page, client: ConsoleClient, opened: ConsolePage) => Promise<void>,
  credit?: string,
): Promise<void> {
  const account = await open.newAccount(credit)
  await open.visit(`/playground${path}`, { ...view, account }, async (opened) => {
    const { page } = opened
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByLabel('Model').waitFor()
    await use(page, account.client, opened)
  })
}

const answers = (page: Page, model = 'sandbox-text'): Locator => page.getByRole('article', { name: model })
const costOf = (within: Locator): Locator => within.getByRole('button', { name: /^[\d.]+\sUSD$/ })

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  // Enter does nothing before models and history are there.
  await page.locator('button:enabled', { hasText: /^Send$/ }).waitFor()
  await page.keyboard.press('Enter')
}

test('an answer arrives as a stream, with reasoning, tokens, cost, latency and code; it outlasts a reload', async () => {
  await play('?tab=text&model=sandbox-text', {}, async (page) => {
    await page.getByText('of 5.00 USD spent this month').waitFor()
    await page.getByLabel('System prompt').fill('Be brief.')
    await ask(page, 'think 20 words, say 40 words, pace 40 ms')
    const answer = answers(page)
    // Text is there while the rest is still to come.
    await answer.getByText('[sandbox]').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await costOf(answer).waitFor()
    await answer.getByText(/^\d+ input tokens$/).waitFor()
    await answer.getByText(/^\d+ output tokens$/).waitFor()
    await answer.getByText('First token').waitFor()
    await costOf(answer).click()
    await page.getByText(/input x 1\.00 \+ \d+ output x 4\.00/).waitFor()
    await page.keyboard.press('Escape')

    const reasoning = answer.getByRole('button', { name: 'Reasoning' })
    expect(await reasoning.getAttribute('aria-expanded')).toBe('false')
    await reasoning.click()
    await answer
      .getByText(/^\[sandbox\] amber/)
      .first()
      .waitFor()

    await answer.getByRole('button', { name: 'Code', exact: true }).click()
    for (const [language, code] of [
      ['curl', `curl -N ${open.gateway.url}/v1/chat/completions`],
      ['Python', 'client.chat.completions.create('],
      ['JavaScript', 'await client.chat.completions.create('],
    ] as const) {
      await answer.getByText(language, { exact: true }).click()
      await answer.getByText(code).first().waitFor()
    }
    expect(await answer.innerText()).toContain('Be brief.')

    await page.reload()
    await costOf(answers(page)).waitFor()
    expect(await page.evaluate('Object.keys(localStorage).join()')).not.toContain('sk-')
  })
})

test('an answer that the balance cut short says so once, in words, and leads to the wallet', async () => {
  await play(
    '?tab=text&model=sandbox-text',
    {},
    async (page) => {
      await ask(page, 'say 300 words')
      const answer = answers(page)
      await answer.getByText('Balance exhausted', { exact: true }).waitFor()
      await answer.getByRole('link', { name: 'Open Wallet' }).waitFor()
      expect(await answer.getByText('stopped-by-balance').count()).toBe(0)
    },
    '0.0004',
  )
})

test('an answer is stopped and asked for again, by keyboard', async () => {
  await play('?tab=text&model=sandbox-text', {}, async (page) => {
    await page.getByLabel('Message').focus()
    await page.keyboard.type('say 20000 words, pace 20 ms')
    await page.keyboard.press('Enter')
    await answers(page).getByText('[sandbox]').first().waitFor()
    const stop = page.getByRole('button', { name: 'Stop' })
    await stop.focus()
    await page.keyboard.press('Enter')
    await answers(page).getByText('Stopped').waitFor()
    await costOf(answers(page)).waitFor()
    const regenerate = page.getByRole('button', { name: 'Regenerate' })
    await regenerate.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop' }).click()
    await answers(page).getByText('Stopped').waitFor()
    expect(await answers(page).count()).toBe(1)

    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('Ask the model something').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: /^say 20000 words/ }).click()
    await answers(page).waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Clear history' }).click()
    await page.getByRole('button', { name: 'Clear history' }).click()
    await page.getByText('Ask the model something').waitFor()
    await page.reload()
    await page.getByText('Ask the model something').waitFor()
  })
})

test('tool calls are shown, and the reader gives their results; pictures are sent along', async () => {
  await play('?tab=text&model=sandbox-text', {}, async (page) => {
    await page.getByLabel('Tools').fill('{')
    await page.getByText('This is not a JSON array.').waitFor()
    await page.getByLabel('Tools').fill(JSON.stringify(TOOLS))
    await ask(page, 'call get_weather with {"city":"Paris"}')
    await page.getByText('"city": "Paris"').waitFor()
    await page.getByLabel('Result').fill('12 degrees')
    await page.getByRole('button', { name: 'Send results' }).click()
    await page.getByText('The tool get_weather returned: 12 degrees').waitFor()

    await page.getByLabel('Add images').first().setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PIXEL })
    await page.getByRole('img', { name: 'Image 1' }).waitFor()
    await dropPixel(page, page.getByPlaceholder(/^Write a message/))
    await page.getByRole('img', { name: 'Image 2' }).waitFor()
    const asked = page.waitForRequest(/chat\/completions$/)
    await ask(page, 'What is this?')
    expect((await asked).postData()).toContain(`data:image/png;base64,${PIXEL.toString('base64')}`)
    await costOf(answers(page).nth(2)).waitFor()
  })
})

test('an image is made with partial ones, and edited with a mask', async () => {
  await play('?tab=image&model=sandbox-image', {}, async (page) => {
    await page.getByLabel('Size').selectOption('256x256')
    await page.getByLabel('Prompt').fill('A lighthouse, pace 300 ms')
    await page.getByRole('button', { name: 'Generate image' }).click()
    await page.getByRole('img', { name: 'Partial image' }).waitFor()
    const article = page.getByRole('article').first()
    const image = article.locator('img[data-final=true]')
    await image.waitFor()
    expect(await image.evaluate((element) => [(element as unknown as { naturalWidth: number }).naturalWidth])).toEqual([
      256,
    ])
    await costOf(article).waitFor()
    await article.getByText('1 image', { exact: true }).waitFor()
    expect(await article.getByRole('link', { name: 'Download' }).getAttribute('download')).toBe('image-1.png')

    await article.getByRole('button', { name: 'Edit', exact: true }).click()
    const { buffer } = await drawn(image)
    await page.getByLabel('Add a mask').first().setInputFiles({ name: 'mask.png', mimeType: 'image/png', buffer })
    await page.getByLabel('Prompt').fill('At night')
    await page.getByRole('button', { name: 'Edit image' }).click()
    const edited = page.getByRole('article', { name: 'At night' })
    await edited.locator('img[data-final=true]').waitFor()
    await costOf(edited).waitFor()
    await edited.getByRole('button', { name: 'Code', exact: true }).click()
    await edited.getByText("-F 'mask=@mask.png'").waitFor()
    await page.reload()
    await page.getByRole('article', { name: 'At night' }).locator('img[data-final=true]').waitFor()
  })
})

/** The file that an image element shows. */
async function drawn(image: Locator): Promise<{ buffer: Buffer }> {
  const src = (await image.getAttribute('src')) ?? ''
  return { buffer: Buffer.from(src.split(',')[1] ?? '', 'base64') }
}

test('a video is made, played and offered for download; the task goes on after a reload', async () => {
  await play('?tab=video&model=sandbox-video', {}, async (page) => {
    await page.getByLabel('Seconds').selectOption('')
    const perSecond = await page.getByText(/^Price: [\d.]+ USD per second/).innerText()
    await page.getByLabel('Seconds').selectOption('2')
    const price = Number(/[\d.]+/.exec(perSecond)?.[0])
    expect(Number(/[\d.]+/.exec(await page.getByText(/^Price: [\d.]+ USD$/).innerText())?.[0])).toBe(2 * price)
    await page.getByLabel('Prompt').fill('A lighthouse')
    await page.getByRole('button', { name: 'Generate video' }).click()
    await page.getByText(/^(Queued|Generating)$/).waitFor()
    await page.reload()
    const video = page.locator('video')
    await video.waitFor()
    const played = await video.evaluate(async (element) => {
      const player = element as unknown as {
        muted: boolean
        play(): Promise<void>
        currentTime: number
        duration: number
      }
      player.muted = true
      await player.play()
      while (player.currentTime === 0) await new Promise((resolve) => setTimeout(resolve, 50))
      return Math.round(player.duration)
    })
    expect(played).toBe(2)
    const article = page.getByRole('article')
    await costOf(article).waitFor()
    expect(await costOf(article).innerText()).toMatch(/^0\.10\sUSD$/)
    expect(await article.getByRole('link', { name: 'Download' }).getAttribute('href')).toMatch(/\/media\/.*sig=/)
  })
})

test('at the cap of the built-in key the page says so, and leads to the keys', async () => {
  await play('?tab=text&model=sandbox-text', {}, async (page, client) => {
    const { body } = await client.get<{ id: string }>('playground/key')
    await client.post(`keys/${body.id}`, { cap_usd: '0.00001' })
    await ask(page, 'Hello')
    await page.getByText(/needs at least 0\.\d+ USD, and 0\.00001 USD of the cap is left\. Raise the cap/).waitFor()
    await page.getByRole('link', { name: 'Open Keys' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
  })
})

test('a video has a length from the start, and a cap that is too low for it says by how much', async () => {
  await play('?tab=video&model=films', {}, async (page, client) => {
    const { body } = await client.get<{ id: string }>('playground/key')
    await client.post(`keys/${body.id}`, { cap_usd: '0.10' })
    const note = page.getByText(/^Price: /)
    await page.locator('select option:checked', { hasText: /^5$/ }).waitFor({ state: 'attached' })
    expect(await note.innerText()).toBe('Price: 0.25 USD\nHeld until the video is done: up to 0.60 USD')
    await page.getByLabel('Prompt').fill('A ship')
    const make = page.getByRole('button', { name: 'Generate video' })
    await make.click()
    const says = (usd: string, advice: string) =>
      page.getByText(`This video could cost up to ${usd} USD, and 0.10 USD of the cap is left. ${advice}`).waitFor()
    await says('0.60', 'Choose a shorter duration.')
    await page.getByLabel('Resolution').selectOption('720p')
    expect(await note.innerText()).toBe('Price: 0.25 USD')
    await page.getByLabel('Seconds').selectOption('')
    expect(await note.innerText()).toBe('Price: 0.05 USD per second\nHeld until the video is done: up to 6.00 USD')
    await make.click()
    await says('6.00', 'Choose a duration.')
    await expectWellShown(page, 'playground-video-cap', [
      { width: 1280, dark: false },
      { width: 360, dark: true },
    ])
  })
})

const RUN = 'window.ran=1'
const SVG = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script></svg>`,
).toString('base64')
const HOSTILE = [
  `<script>${RUN}</script><script src="https://evil.example/a.js"></script>`,
  `<img src=x onerror="${RUN}"><svg onload="${RUN}"></svg><body onload="${RUN}">`,
  '<iframe src="https://evil.example/"></iframe><style>*{background:url(https://evil.example/)}</style>',
  `<a href="javascript:${RUN}">raw</a> <form action="https://evil.example/"><button>go</button></form>`,
  `[one](javascript:${RUN}) [two](JaVaScRiPt:${RUN}) [three](data:text/html;base64,PHNjcmlwdD4=) [four](vbscript:x)`,
  `[five](&#106;avascript:${RUN}) <javascript:${RUN}> [six](//evil.example/) [seven](/console/api/session)`,
  '![pixel](https://evil.example/pixel.png) ![frame](//evil.example/pixel.png) ![same](/console/api/session)',
  `![svg](data:image/svg+xml;base64,${SVG}) ![html](data:text/html;base64,${SVG})`,
  '[https://bank.example](https://evil.example/login) https://\u0430pple.com/ https://bank.example@evil.example/',
  '[\u202Emoc.elgoog\u202C](https://evil.example/bidi)',
  `![own](data:image/png;base64,${PIXEL.toString('base64')})`,
  '>'.repeat(3_000),
  '['.repeat(3_000),
  '*a '.repeat(3_000),
  Array.from({ length: 200 }, (_, index) => `${' '.repeat(index * 2)}- x`).join('\n'),
].join('\n\n')

test('a hostile answer runs nothing, loads nothing from elsewhere, and its links say where they lead', async () => {
  const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields, finish_reason: null }] })
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: `<img src=x onerror=${RUN}>`, arguments: HOSTILE },
  }
  const tail = [delta({ tool_calls: [call] }), finish('tool_calls'), usage(), DONE]
  upstream.behave(stream(role(), delta({ reasoning_content: HOSTILE }), event(HOSTILE), ...tail))
  await play('?tab=text&model=renamed', {}, async (page, _, { problems }) => {
    const foreign: string[] = []
    page.context().on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== open.gateway.url)
        foreign.push(request.url())
    })
    const check = async () => {
      const answer = answers(page, 'renamed')
      await costOf(answer).waitFor()
      const reasoning = answer.getByRole('button', { name: 'Reasoning' })
      if ((await reasoning.getAttribute('aria-expanded')) === 'false') await reasoning.click()
      expect(await page.evaluate('window.ran')).toBeUndefined()
      expect(await answer.locator('script, iframe, style, form, object, embed, [onerror], [onload]').count()).toBe(0)
      const links = await answer
        .locator('a')
        .evaluateAll((all) =>
          (all as unknown as { href: string; rel: string; target: string; innerText: string }[])
            .filter(({ target }) => target === '_blank')
            .map(({ href, rel, innerText }) => [innerText, href, rel]),
        )
      const rel = 'noreferrer noopener nofollow'
      expect(links).toEqual([
        // The addresses in what would be HTML, which is text.
        ['https://evil.example/a.js', 'https://evil.example/a.js', rel],
        ['https://evil.example/', 'https://evil.example/', rel],
        ['https://evil.example/', 'https://evil.example/', rel],
        ['https://evil.example/', 'https://evil.example/', rel],
        ['Image: pixel', 'https://evil.example/pixel.png', rel],
        ['https://bank.example', 'https://evil.example/login', rel],
        ['https://\u0430pple.com/', 'https://xn--pple-43d.com/', rel],
        ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', rel],
        ['\u202Emoc.elgoog\u202C', 'https://evil.example/bidi', rel],
      ])
      const said = await answer.innerText()
      for (const host of ['(evil.example)', '(xn--pple-43d.com)']) expect(said).toContain(host)
      expect(said.split('(evil.example)').length - 1).toBe(4)
      const images = await answer
        .locator('img')
        .evaluateAll((all) => (all as unknown as { src: string }[]).map(({ src }) => src))
      expect(images).toEqual([`data:image/png;base64,${PIXEL.toString('base64')}`])
      expect(foreign).toEqual([])
      expect(problems).toEqual([])
    }
    await ask(page, 'Hello')
    await check()
    // From the history, too.
    await page.reload()
    await check()
  })
})

test('a hostile message of an error is text', async () => {
  upstream.behave(
    stream(role(), `data: ${JSON.stringify({ error: { message: `<img src=x onerror=${RUN}>`, type: 'x' } })}\n\n`),
  )
  await play('?tab=text&model=renamed', {}, async (page) => {
    await ask(page, 'Hello')
    await page.getByRole('alert').waitFor()
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(await answers(page, 'renamed').locator('img').count()).toBe(0)
  })
})

test.each([...WIDTHS])('%d px: every tab fits the screen and is accessible, in both themes', async (width) => {
  await play('?tab=text&model=sandbox-text', { width }, async (page) => {
    const look = (name: string) =>
      expectWellShown(
        page,
        `playground-${name}`,
        VIEWS.filter((view) => view.width === width),
      )
    await ask(page, 'think 20 words, say 60 words')
    await costOf(answers(page)).waitFor()
    await answers(page).getByRole('button', { name: 'Code', exact: true }).click()
    await look('text')
    for (const [tab, action] of [
      ['Image', 'Generate image'],
      ['Video', 'Generate video'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await choose(page, 'Model', `sandbox-${tab.toLowerCase()}`)
      await page.getByLabel('Prompt').fill('A lighthouse at night')
      await page.getByRole('button', { name: action }).click()
      await costOf(page.getByRole('article')).waitFor()
      await look(tab.toLowerCase())
    }
  })
})
