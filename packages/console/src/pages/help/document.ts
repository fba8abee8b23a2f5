// A page of the documentation as the console shows it. Pure.

/** Notes for the tests and generators of the documentation. */
const COMMENTS = /^<!--.*-->\n+/gm

/** The title stands apart, in the header of the page. undefined: it has none. */
export function documentOf(markdown: string): { title: string | undefined; text: string } {
  const shown = markdown.replace(COMMENTS, '')
  const [, title, text = shown] = /^# (.+)\n([\s\S]*)$/.exec(shown) ?? []
  return { title, text }
}

const isText = (line: string): boolean => line !== '' && !/^(?:#|<!--|```|\||!\[|English|\[)/.test(line)

/** The first sentence of the first paragraph, without its links. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown
    .split('\n\n')
    .map((each) => each.trim())
    .find(isText)
  const text = (paragraph ?? '').replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^(.*?[.:。])(?:\s|$)/.exec(text)?.[1]?.replace(/:$/, '.') ?? text
}
