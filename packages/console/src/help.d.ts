declare module 'trivium:help' {
  /** The Markdown of each page of the documentation, by its path without `.md`. */
  export const PAGES: Readonly<Record<string, () => Promise<{ default: string }>>>
}
