// The texts in one language (../texts-plugin.ts).
declare module 'trivium:en/i18n/texts/index.ts' {
  const texts: typeof import('./i18n/texts/index.ts')
  export = texts
}
declare module 'trivium:zh/i18n/texts/index.ts' {
  const texts: typeof import('./i18n/texts/index.ts')
  export = texts
}
declare module 'trivium:en/operate/i18n/index.ts' {
  const texts: typeof import('./operate/i18n/index.ts')
  export = texts
}
declare module 'trivium:zh/operate/i18n/index.ts' {
  const texts: typeof import('./operate/i18n/index.ts')
  export = texts
}
declare module 'trivium:settings' {
  /** What each setting does, by its id. */
  export const CHINESE: Readonly<Record<string, string>>
}
