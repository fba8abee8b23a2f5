import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/queries.ts'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'
import { LanguageProvider, loadLanguage } from './i18n/language.tsx'

applyTheme()
const root = document.getElementById('app')
if (root) {
  const language = await loadLanguage()
  createRoot(root).render(
    <StrictMode>
      <LanguageProvider initial={language}>
        <App client={createQueryClient()} />
      </LanguageProvider>
    </StrictMode>,
  )
}
