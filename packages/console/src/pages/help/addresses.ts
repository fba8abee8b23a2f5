// Where links of the documentation lead within the console. Pure.

/** The part of a page that a heading begins, as code hosts name it: `## Back up` is `back-up`. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** `keys.md#caps` on the page `operate/billing` is `/help/operate/keys#caps`. undefined: it is no page of the documentation. */
export function helpPath(href: string, page: string, base = '/help/'): string | undefined {
  if (/^[a-z]+:/i.test(href)) return undefined
  const { pathname, hash } = new URL(href, `http://help/${page}.md`)
  const found = /^\/(.+)\.md$/.exec(pathname)?.[1]
  const isOutside = '../'.repeat(page.split('/').length) === href.slice(0, 3 * page.split('/').length)
  return found === undefined || isOutside ? undefined : `${base}${found}${hash}`
}
