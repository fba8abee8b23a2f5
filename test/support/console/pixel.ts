// A small picture, and how a person drops it on a page.
import type { Locator, Page } from '../browser.ts'

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
)

export async function dropPixel(page: Page, target: Locator): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob('${PIXEL.toString('base64')}'), (each) => each.charCodeAt(0))
    transfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }))
    return transfer
  })()`)
  await target.dispatchEvent('drop', { dataTransfer })
}
