import { lazyPage } from '../app/lazy-page.tsx'
import type { ClientSnippetProps } from './client-snippet.tsx'

/** All clients are much text, which the first page does not wait for. */
export const { page: ClientSnippet } = lazyPage<ClientSnippetProps>(() => import('./client-snippet.tsx'))
