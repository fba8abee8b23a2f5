// Which addresses of a model's answer become links and images, and how a link shows where it leads.

export type SafeLink = {
  href: string
  /** Where it leads, in ASCII, if the text does not say the same. */
  host: string | undefined
}

/** undefined: not a link. Only absolute addresses of the web. */
export function safeLink(href: string, text: string): SafeLink | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  return { href: url.href, host: saysSame(text, url) ? undefined : url.host }
}

/** The text is the address itself, in ASCII: letters of other scripts can look like those of a known name. */
function saysSame(text: string, url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false
  const said = text.trim().replace(/\/$/, '').toLowerCase()
  const whole = url.href.replace(/\/$/, '').toLowerCase()
  return [whole, whole.replace(/^https?:\/\//, ''), url.host].includes(said)
}

const DATA_IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/

/**
 * Images that are part of the answer, or signed media of this gateway; a foreign address would tell its owner who reads. `bases`: URLs
 * of this gateway.
 */
export function safeImage(src: string, bases: readonly string[]): string | undefined {
  return DATA_IMAGE.test(src) ? src : ownMedia(src, bases)
}

/** A signed address of this gateway's media. */
export function ownMedia(src: string, bases: readonly string[]): string | undefined {
  if (!URL.canParse(src)) return undefined
  const url = new URL(src)
  const isOwn = bases.some((base) => URL.canParse(base) && new URL(base).origin === url.origin)
  return isOwn && url.pathname.startsWith('/media/') ? url.href : undefined
}
