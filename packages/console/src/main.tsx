import './common.ts'
import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient, prefetch } from './api/queries.ts'
import { App } from './app/app.tsx'
import { CONSOLE_PATH } from './app/base-path.ts'
import { operatePlace, pageAt } from './app/navigation.ts'
import { isOperate } from './app/operate-path.ts'
import { applyTheme } from './app/theme.ts'
import { LanguageProvider, loadLanguage } from './i18n/language.tsx'

applyTheme()
const root = document.getElementById('app')
if (root) {
  const client = createQueryClient()
  const path = location.pathname.slice(CONSOLE_PATH.length) || '/'
  const page = isOperate(path) ? operatePlace : pageAt(path)
  // What the first page needs is loaded at once, not one after the other.
  if (page) void prefetch(client, 'session')
  // Without an `await` at the top level, pages can import parts of this script: it is done when they ask for them.
  void Promise.all([loadLanguage(), page?.load()]).then(([language]) =>
    createRoot(root).render(
      <StrictMode>
        <LanguageProvider initial={language}>
          <App client={client} />
        </LanguageProvider>
      </StrictMode>,
    ),
  )
}
