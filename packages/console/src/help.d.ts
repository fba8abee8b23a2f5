declare module 'trivium:help' {
  /** The Markdown of each page of the documentation, by its path without `.md`. */
  export const PAGES: Readonly<Record<string, () => Promise<{ default: string }>>>
  /** Every page with its title and its first sentence. */
  export const INDEX: readonly { page: string; title: string; text: string }[]
}
