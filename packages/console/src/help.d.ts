declare module 'trivium:help' {
  /** The Markdown of each page of the documentation, by its path without `.md`. */
  export const PAGES: Readonly<Record<string, () => Promise<{ default: string }>>>
}

declare module 'trivium:help/sections' {
  /** The text of all pages by its headings. Large: loaded by the first search. */
  export const SECTIONS: readonly import('./pages/help/sections.ts').Section[]
}
