// HTML with everything escaped that is put into it.

export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Markup | readonly Part[]

export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(pieces.map((piece, index) => piece + (index < parts.length ? textOf(parts[index] as Part) : '')).join(''))

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text
  return typeof part === 'string' ? Bun.escapeHTML(part) : part.map(textOf).join('')
}

/** Descriptions have code between backquotes, and nothing else. */
export const renderMarkdown = (text: string): Markup =>
  html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
