// The texts of the operators' place, loaded with it in the language of the console.

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { type Language, useLanguage } from '../../i18n/language.tsx'
import type { OperateTexts } from './texts.ts'

const Context = createContext<OperateTexts | undefined>(undefined)

const load = (language: Language): Promise<OperateTexts> =>
  language === 'zh' ? import('trivium:zh/operate/i18n/index.ts') : import('trivium:en/operate/i18n/index.ts')

export function OperateTextsProvider({ waiting, children }: { waiting: ReactNode; children: ReactNode }) {
  const { language } = useLanguage()
  const [texts, setTexts] = useState<OperateTexts>()
  useEffect(() => {
    let isWanted = true
    void load(language).then((loaded) => isWanted && setTexts(loaded))
    return () => {
      isWanted = false
    }
  }, [language])
  return texts ? <Context value={texts}>{children}</Context> : waiting
}

/** `const t = useOperateTexts().requests` */
export function useOperateTexts(): OperateTexts {
  const texts = useContext(Context)
  if (!texts) throw new Error('OperateTextsProvider is missing')
  return texts
}
