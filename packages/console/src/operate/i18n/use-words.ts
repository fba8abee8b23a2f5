// What operations are called on screen, from the operations themselves: one place for buttons, dialogs and the audit log.
import { type ActName, WORDS } from '@trivium/gateway/operate/words/index.ts'
import type { Both, Words } from '@trivium/gateway/operate/words/words.ts'
import { useLanguage } from '../../i18n/language.tsx'

export type { ActName } from '@trivium/gateway/operate/words/index.ts'

/** `words('upstream drain', id)`: the dialog of the act, for `useAct`; its `action` is the label of the button, too. */
export function useWords() {
  const { language } = useLanguage()
  return (name: ActName, target = '', usd = '') => {
    const { act, ask, done, ...rest } = WORDS[name]
    const said = (both: Both) => both[language].replaceAll('{x}', target).replaceAll('{usd}', usd)
    return {
      title: said(ask),
      action: said(act),
      done: said(done),
      ...('text' in rest ? { text: said(rest.text) } : {}),
    }
  }
}

/** What was done, in words, if they do not name what it was done to; else the name of the operation. */
export function useDid() {
  const { language } = useLanguage()
  return (action: string): string => {
    const said = (WORDS as Words)[action]?.did[language]
    return said === undefined || said.includes('{x}') ? action : said
  }
}
